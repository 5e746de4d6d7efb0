// The report of a replay: published beside simulated, as text, JSON and CSV.
//
// The same report gives the same bytes on every machine. docs/commands.md describes the JSON. Threads: values and pure
// functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "blkpress/sim/figure.hpp"

namespace blkpress::sim {

// What one figure was under several seeds.
struct SeedRange {
  std::string low;  // as printed; the same as high for a figure that does not vary
  std::string high;
  std::uint64_t passed = 0;  // seeds under which it was inside its bar
};

struct ReplayReport {
  std::vector<Figure> figures;                                // judged, in the order of the documents
  std::vector<std::pair<std::string, std::string>> titles;    // experiment id and title, in the order to print
  std::vector<std::string> statements;                        // what was sampled, calibrated, assumed
  std::vector<std::string> without;                           // mechanisms left out
  std::vector<std::string> set = {};                          // what-if: settings that are not the documents'
  std::vector<std::pair<std::string, std::string>> versions;  // of what the result depends on
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;        // how many seeds were run: seed, seed + 1, …
  std::vector<SeedRange> ranges;  // one for each figure when seeds > 1, else empty
  std::string digest;
  std::uint64_t events = 0;
};

// How many figures of a class ended how.
struct ClassCounts {
  std::uint64_t figures = 0;
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t not_judged = 0;     // simulated, but without a bar
  std::uint64_t not_simulated = 0;  // shown with the published value alone
};
ClassCounts count_class(std::span<const Figure> figures, FigureClass figure_class);

// Statements that begin with "calibrated": each is one parameter that was chosen so that a published figure fits.
std::uint64_t calibrated_parameters(std::span<const std::string> statements);

// The range of each figure over runs with different seeds; all runs have the same figures in the same order.
std::vector<SeedRange> seed_ranges(std::span<const std::vector<Figure>> runs);

// "±5%", "±0.3", "2 buckets", "equal", "1.5 to 1.7", "-".
std::string bar_text(const Bar& bar);

struct ReplayTextOptions {
  bool all_figures = false;  // else predictions and calibrations alone; the rest is counted
};
// Headline predictions, misses with their reasons, a summary for each class, a table for each experiment. At most 120
// columns.
std::string replay_text(const ReplayReport& report, ReplayTextOptions options = {});
std::string replay_json(const ReplayReport& report);
std::string replay_csv(const ReplayReport& report);

}  // namespace blkpress::sim
