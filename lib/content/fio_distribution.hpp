// fio's non-uniform choices of a block: zipf, pareto and normal. None of them uses a map.
//
// Threads: belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <string_view>

#include "blkpress/fio_random.hpp"

namespace blkpress {

// fio's seed for a job without randseed: a hash of the file's name.
std::uint32_t fio_hash_name(std::string_view name);

class FioSkewedBlocks {
 public:
  // distribution: zipf, pareto or normal, with parameters that passed check(); blocks > 0. Zipf sums up to 10^7 terms.
  FioSkewedBlocks(const FioDistribution& distribution, std::uint64_t blocks, std::uint64_t seed);
  std::uint64_t next();

 private:
  std::uint64_t next_zipf(double theta);
  std::uint64_t next_pareto(double power);
  std::uint64_t next_normal(double deviation_percent);
  double unit();

  FioDistribution distribution_;
  std::uint64_t blocks_;
  FioRandom random_;
  std::uint64_t rotation_ = 0;
  double zeta_ = 0;
};

// The linear feedback shift register behind random_generator=lfsr: each block once, then again.
class FioLfsr {
 public:
  // blocks: 1 … 2^48 - 1.
  FioLfsr(std::uint64_t blocks, std::uint64_t seed);
  std::uint64_t next();

 private:
  void step();

  std::uint64_t blocks_;
  unsigned width_ = 3;
  std::uint64_t taps_ = 0;
  std::uint64_t state_;
};

}  // namespace blkpress
