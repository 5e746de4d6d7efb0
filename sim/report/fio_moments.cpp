#include <algorithm>
#include <cmath>

#include "blkpress/sim/fio_statistics.hpp"

namespace blkpress::sim {

void FioMoments::add(std::uint64_t value) {
  min = samples == 0 ? value : std::min(min, value);
  max = std::max(max, value);
  ++samples;
  const double delta = static_cast<double>(value) - mean;
  mean += delta / static_cast<double>(samples);
  deviations += delta * (static_cast<double>(value) - mean);
}

void FioMoments::merge(const FioMoments& other) {
  if (other.samples == 0) return;
  if (samples == 0) {
    *this = other;
    return;
  }
  const auto mine = static_cast<double>(samples);
  const auto theirs = static_cast<double>(other.samples);
  const double delta = other.mean - mean;
  mean = (mean * mine + other.mean * theirs) / (mine + theirs);
  deviations += other.deviations + delta * delta * (mine * theirs) / (mine + theirs);
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  samples += other.samples;
}

void FioMoments::sum(const FioMoments& other) {
  min += other.min;
  max += other.max;
  mean += other.mean;
  deviations += other.deviations;
  samples += other.samples;
}

// Square root is exact to the last bit by IEEE 754, unlike the rest of the mathematical library.
double FioMoments::stdev() const {
  return samples > 1 ? std::sqrt(deviations / static_cast<double>(samples - 1)) : 0.0;
}

}  // namespace blkpress::sim
