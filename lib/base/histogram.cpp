#include "blkpress/histogram.hpp"

#include <algorithm>
#include <bit>

namespace blkpress {

namespace {

constexpr unsigned kBits = 6;
constexpr std::uint64_t kPerPower = std::uint64_t{1} << kBits;

}  // namespace

std::size_t LogHistogram::bucket_of(std::uint64_t value) {
  if (value < 2 * kPerPower) return static_cast<std::size_t>(value);
  const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kBits;
  return static_cast<std::size_t>(shift * kPerPower + (value >> shift));
}

std::uint64_t LogHistogram::start_of(std::size_t bucket) {
  if (bucket < 2 * kPerPower) return bucket;
  const auto shift = static_cast<unsigned>(bucket / kPerPower - 1);
  return (kPerPower + bucket % kPerPower) << shift;
}

std::uint64_t LogHistogram::value_of(std::size_t bucket) {
  if (bucket < 2 * kPerPower) return bucket;
  const auto shift = static_cast<unsigned>(bucket / kPerPower - 1);
  return start_of(bucket) + (std::uint64_t{1} << shift) / 2;
}

void LogHistogram::add(std::uint64_t value, std::uint64_t times) {
  const std::size_t bucket = bucket_of(value);
  if (bucket >= buckets_.size()) buckets_.resize(bucket + 1);
  buckets_[bucket] += times;
  count_ += times;
}

void LogHistogram::merge(const LogHistogram& other) {
  buckets_.resize(std::max(buckets_.size(), other.buckets_.size()));
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
}

std::uint64_t LogHistogram::percentile(std::uint32_t basis_points) const {
  if (count_ == 0) return 0;
  const std::uint64_t wanted = (count_ * basis_points + 9999) / 10000;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (buckets_[i] != 0 && seen >= wanted) return value_of(i);
  }
  return value_of(buckets_.size() - 1);
}

double LogHistogram::share_below(double bound) const {
  if (count_ == 0 || bound <= 0) return 0;
  double below = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const auto start = static_cast<double>(start_of(i));
    const auto end = static_cast<double>(start_of(i + 1));
    if (bound >= end) {
      below += static_cast<double>(buckets_[i]);
      continue;
    }
    if (bound > start) below += static_cast<double>(buckets_[i]) * (bound - start) / (end - start);
    break;
  }
  return below / static_cast<double>(count_);
}

}  // namespace blkpress
