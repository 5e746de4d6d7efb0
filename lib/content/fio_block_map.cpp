#include "content/fio_block_map.hpp"

#include <bit>

#include "blkpress/result.hpp"

namespace blkpress {

FioBlockMap::FioBlockMap(std::uint64_t blocks) : blocks_(blocks) {
  BLKPRESS_ASSERT(blocks > 0);
  std::uint64_t bits = blocks;
  do {
    bits = (bits + 63) / 64;
    levels_.emplace_back(bits);
  } while (bits > 1);
  clear();
}

void FioBlockMap::clear() {
  used_ = 0;
  std::uint64_t bits = blocks_;
  for (auto& level : levels_) {
    std::fill(level.begin(), level.end(), 0);
    // Bits beyond the end count as used, so that a search never stops there.
    if (bits % 64 != 0) level.back() = ~std::uint64_t{0} << (bits % 64);
    bits = level.size();
  }
}

void FioBlockMap::mark(std::uint64_t block) {
  ++used_;
  for (auto& level : levels_) {
    std::uint64_t& word = level[block / 64];
    word |= std::uint64_t{1} << (block % 64);
    if (~word != 0) return;
    block /= 64;
  }
}

std::uint64_t FioBlockMap::find_free(std::uint64_t block) const {
  std::size_t level = 0;
  std::uint64_t position = block;
  // Climb until a word has a free bit at or above the position, then descend to the lowest one.
  for (;; ++level) {
    if (level == levels_.size() || position / 64 >= levels_[level].size()) return blocks_;
    const std::uint64_t free = ~levels_[level][position / 64] & (~std::uint64_t{0} << (position % 64));
    if (free != 0) {
      position = position / 64 * 64 + static_cast<std::uint64_t>(std::countr_zero(free));
      break;
    }
    position = position / 64 + 1;
  }
  for (; level > 0; --level) {
    position = position * 64 + static_cast<std::uint64_t>(std::countr_one(levels_[level - 1][position]));
  }
  return position;
}

std::uint64_t FioBlockMap::next_free(std::uint64_t block) const {
  BLKPRESS_ASSERT(!full() && block < blocks_);
  const std::uint64_t found = find_free(block);
  return found < blocks_ ? found : find_free(0);
}

std::uint64_t FioBlockMap::take(std::uint64_t block, std::uint64_t count) {
  std::uint64_t taken = 0;
  while (taken < count && block + taken < blocks_ && !used(block + taken)) mark(block + taken++);
  return taken;
}

}  // namespace blkpress
