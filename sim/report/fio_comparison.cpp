#include <cmath>

#include "blkpress/sim/fio_statistics.hpp"

namespace blkpress::sim {

std::uint64_t fio_bucket_distance(double usec_a, double usec_b) {
  // A printed percentile is its bucket's middle, rounded up to a whole microsecond: half of one back lies inside it.
  const auto bucket = [](double usec) {
    return LogHistogram::bucket_of(static_cast<std::uint64_t>(usec < 0.5 ? 0.0 : (usec - 0.5) * 1000.0));
  };
  const std::size_t a = bucket(usec_a);
  const std::size_t b = bucket(usec_b);
  return a < b ? b - a : a - b;
}

double fio_percent_below(const FioGroup& group, double bound_ns) {
  LogHistogram all;
  for (const FioDirectionResult& result : group.directions) all.merge(result.clat_histogram);
  return 100.0 * all.share_below(bound_ns);
}

double fio_demerit17(std::span<const double, 17> simulated_usec, std::span<const double, 17> published_usec,
                     double published_mean_usec) {
  double sum = 0;
  for (std::size_t i = 0; i < kFioPercentiles.size(); ++i) {
    const double here = kFioPercentiles[i];
    const double from = i == 0 ? 0.0 : (kFioPercentiles[i - 1] + here) / 2;
    const double to = i + 1 == kFioPercentiles.size() ? 10000.0 : (here + kFioPercentiles[i + 1]) / 2;
    const double difference = simulated_usec[i] - published_usec[i];
    sum += (to - from) / 10000.0 * difference * difference;
  }
  return 100.0 * std::sqrt(sum) / published_mean_usec;
}

}  // namespace blkpress::sim
