// fio's random numbers and the seeds of its many streams, bit for bit.
//
// Threads: values; a generator belongs to one thread at a time.
#pragma once

#include <array>
#include <cstdint>

#include "blkpress/fio_options.hpp"

namespace blkpress {

// taus88 (L'Ecuyer 1996), seeded as fio seeds it (seed modulo 2^32).
class FioRandom {
 public:
  explicit FioRandom(std::uint64_t seed);

  std::uint32_t next() {
    const auto step = [](std::uint32_t x, int p, int q, std::uint32_t mask, int d) {
      return ((x & mask) << d) ^ (((x << p) ^ x) >> q);
    };
    state_ = {step(state_[0], 13, 19, 0xfffffffeU, 12), step(state_[1], 2, 25, 0xfffffff8U, 4),
              step(state_[2], 3, 11, 0xfffffff0U, 17)};
    return state_[0] ^ state_[1] ^ state_[2];
  }

  // Uniform in [first, last], as fio rounds it.
  std::uint32_t between(std::uint32_t first, std::uint32_t last) {
    const std::uint64_t range = std::uint64_t{last} - first + 1;
    return first + static_cast<std::uint32_t>((range * next()) >> 32);
  }

  // The seed of a buffer fill: the product of two draws.
  std::uint64_t next_fill_seed() {
    const std::uint64_t first = next();
    return first * next();
  }

  // The same as count draws, in time that grows with the logarithm of count.
  void skip(std::uint64_t count);

 private:
  std::array<std::uint32_t, 3> state_;
};

// fio's tausworthe64, which random_generator=tausworthe64 uses for the offsets.
class FioRandom64 {
 public:
  explicit FioRandom64(std::uint64_t seed);
  std::uint64_t next();

 private:
  std::array<std::uint64_t, 5> state_;
};

// What each stream is for; fio's own numbering.
enum class FioStream : std::size_t {
  block_size_read = 0,  // writes: 1
  verify = 3,
  mix = 4,
  offset = 6,
  buffer = 9,
  sequential_or_random = 10,
  sequential_or_random_write = 11,
  dedupe = 14,
  zone = 16,
  dedupe_working_set = 20,
};

class FioSeeds {
 public:
  explicit FioSeeds(const FioSeeding& seeding);
  [[nodiscard]] std::uint64_t operator[](FioStream stream) const { return seeds_[static_cast<std::size_t>(stream)]; }
  [[nodiscard]] std::uint64_t block_size(FioDirection direction) const {
    return seeds_[static_cast<std::size_t>(direction)];
  }

 private:
  std::array<std::uint64_t, 21> seeds_;
};

}  // namespace blkpress
