// Lines every published figure up with the simulated one, and judges it by its bar.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blkpress/sim/figure.hpp"
#include "blkpress/sim/workload.hpp"
#include "experiment/published_figures.hpp"

namespace blkpress::sim {

// What was simulated for one (part, config) of a document.
struct SimulatedPart {
  std::string part;
  std::string config;
  std::vector<PrintedNumber> numbers;
  std::optional<FioGroup> fio;
};

// published, filled in and judged, in its order.
std::vector<Figure> compare(std::vector<PublishedFigure> published, const std::vector<SimulatedPart>& simulated,
                            const std::string& experiment, const std::string& system);

// demerit17 of a run, in percent; nullopt when the document does not print all seventeen percentiles.
std::optional<double> demerit(const std::vector<PublishedFigure>& published, const SimulatedPart& part);

}  // namespace blkpress::sim
