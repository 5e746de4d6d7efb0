// LogHistogram: counts of values in buckets whose width grows with the value, 64 to each power of two.
//
// The buckets are those of fio's latency percentiles (fio 3.29, stat.h: FIO_IO_U_PLAT_BITS = 6), so that a percentile
// taken here is the number that fio prints: values below 128 are exact, above that a bucket is 1.6 % wide or less.
// Threads: a LogHistogram belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "blkpress/bytes.hpp"

namespace blkpress {

class LogHistogram {
 public:
  // The bucket that holds a value, and the value that stands for a bucket: its middle, exact below 128.
  static std::size_t bucket_of(std::uint64_t value);
  static std::uint64_t value_of(std::size_t bucket);
  // The least value of a bucket; that of the next bucket is its end.
  static std::uint64_t start_of(std::size_t bucket);

  void add(std::uint64_t value, std::uint64_t times = 1);
  void merge(const LogHistogram& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // One count for each bucket up to the last one used.
  [[nodiscard]] const std::vector<std::uint64_t>& buckets() const { return buckets_; }

  // The value of the first bucket at which the cumulative count reaches basis_points / 10000 of all: 9950 is p99.5.
  // 0 when there is nothing.
  [[nodiscard]] std::uint64_t percentile(std::uint32_t basis_points) const;

  // Share (0 to 1) of the values below a bound; inside a bucket the values count as evenly spread. 0 when empty.
  [[nodiscard]] double share_below(double bound) const;

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
};

}  // namespace blkpress
