// published.csv of an experiment: every figure that the document prints, with its class and bar.
#pragma once

#include <string>
#include <vector>

#include "blkpress/result.hpp"
#include "blkpress/sim/figure.hpp"

namespace blkpress::sim {

// How the bar of a figure depends on more than the figure.
enum class BarRule : std::uint8_t {
  fixed,     // it does not
  plateau,   // one bucket more for each 1.43 % (a bucket's width) that the run's time is off
  lat_hist,  // or both bounds of the bin lie where the simulated distribution, 8 % wider and narrower, has these shares
};

struct PublishedFigure {
  Figure figure;  // without a simulated value
  BarRule rule = BarRule::fixed;
};

// Errors: io; usage, with file and line.
Result<std::vector<PublishedFigure>> load_published_figures(const std::string& path);

}  // namespace blkpress::sim
