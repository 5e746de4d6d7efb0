// A published figure beside its simulated one.
//
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/result.hpp"

namespace blkpress::sim {

// What a figure can prove. Only predictions carry evidence.
enum class FigureClass : std::uint8_t {
  config,           // an input of the experiment, repeated by the document
  identity,         // true by definition: counts, zeros, what the job asks for
  derived,          // follows from other published figures; not counted
  calibration,      // a parameter was chosen on it
  prediction,       // nothing was chosen on it
  prediction_weak,  // a prediction of something small or coarsely printed
  not_modelled,     // shown, never judged
};
std::string_view to_string(FigureClass figure_class);  // as in the JSON contract: "prediction-weak", "not-modelled"
Result<FigureClass> parse_figure_class(std::string_view text);

// How far a simulated figure may lie from the published one.
struct Bar {
  enum class Kind : std::uint8_t {
    none,      // not judged
    percent,   // |simulated - published| <= value % of the published value
    absolute,  // |simulated - published| <= value, in the figure's unit
    buckets,   // at most value buckets of fio's latency histogram apart
    equal,     // the printed strings are equal
    range,     // low <= simulated <= high
  };
  Kind kind = Kind::none;
  double value = 0;
  double low = 0;   // range only
  double high = 0;  // range only

  friend bool operator==(const Bar&, const Bar&) = default;
};
std::string_view to_string(Bar::Kind kind);

struct Figure {
  std::string experiment;  // blkpress's id: "vps-zfs-fio"
  std::string system;
  std::string part;  // of the document, where it has several: "seqwrite"; else empty
  std::string config;
  std::string metric;
  std::string unit;
  std::string published;                 // as printed in the document
  std::optional<std::string> simulated;  // formatted as the document prints it; absent: not simulated
  FigureClass figure_class = FigureClass::not_modelled;
  Bar bar;
  std::optional<double> error_percent;  // absent for text and where the published value is zero
  std::optional<bool> pass;             // absent: not judged
  bool by_cumulative_share = false;     // inside by the cumulative shares at a bin's bounds, not by the bar itself
  bool headline = false;                // one of the documents' headline predictions, shown first
  std::string note;                     // why it is not modelled, or what a miss would need

  // "seqwrite lz4": what a reader calls the run.
  [[nodiscard]] std::string run() const { return part.empty() ? config : part + " " + config; }
};

// Fills error_percent and pass of a figure from its published and simulated values and its bar.
void judge(Figure& figure);

// The number at the start of a printed value: "1.50K" is 1.5, "0:00.02" is 0.02 s, "131072+0" is no number.
std::optional<double> parse_number(std::string_view printed);

}  // namespace blkpress::sim
