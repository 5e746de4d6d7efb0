// The length of each I/O of one direction: fixed, from a range, or from bssplit.
//
// Threads: belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "blkpress/fio_random.hpp"

namespace blkpress {

class FioBlockSizeStream {
 public:
  FioBlockSizeStream(const FioBlockSizes& sizes, bool unaligned, std::uint64_t seed);

  // A length of at most room bytes; 0 when not even the smallest block fits. Fixed sizes draw nothing.
  std::uint64_t next(std::uint64_t room);

 private:
  struct Entry {
    std::uint64_t size;
    std::uint64_t cumulative_percent;
  };
  [[nodiscard]] std::uint64_t from_split(std::uint32_t r, std::uint64_t room) const;
  [[nodiscard]] std::uint64_t from_range(std::uint32_t r) const;

  std::uint64_t min_;
  std::uint64_t max_;
  bool unaligned_;
  std::vector<Entry> entries_;  // by percentage ascending
  FioRandom random_;
};

}  // namespace blkpress
