// Which blocks of a file a random job has used: fio's random map.
//
// Threads: belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

namespace blkpress {

class FioBlockMap {
 public:
  explicit FioBlockMap(std::uint64_t blocks);

  [[nodiscard]] bool full() const { return used_ == blocks_; }

  // The first unused block at or above block, wrapping around. Not when full.
  [[nodiscard]] std::uint64_t next_free(std::uint64_t block) const;

  // Marks up to count unused blocks from block (unused itself), stopping before a used one or the end; returns how
  // many.
  std::uint64_t take(std::uint64_t block, std::uint64_t count);

  void clear();

 private:
  [[nodiscard]] bool used(std::uint64_t block) const { return (levels_[0][block / 64] >> (block % 64)) & 1; }
  void mark(std::uint64_t block);
  // The first unused block in [block, end), or end.
  [[nodiscard]] std::uint64_t find_free(std::uint64_t block) const;

  std::uint64_t blocks_;
  std::uint64_t used_ = 0;
  // Level 0 has a bit per block; a bit of level k+1 is set when its word of level k is full. So a search skips used
  // regions 64 times faster per level.
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace blkpress
