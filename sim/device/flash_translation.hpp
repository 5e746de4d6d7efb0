// The translation layer of an SSD: where each piece of the logical space lies in flash, and how erased blocks come
// back.
//
// A slot is the unit of mapping. Writes go to the next slot of the open block, whatever their address; what lay at that
// address before is invalid from then on. When the open block is full, the next one is erased; when only one erased
// block is left, the full block with the fewest valid slots (greedy choice) is collected: its valid slots are copied to
// the erased one, writing goes on behind them, and the collected block is erased. So each collection frees
// slots_per_block less what was copied.
#pragma once

#include <cstdint>
#include <vector>

#include "blkpress/random.hpp"

namespace blkpress::sim {

class FlashTranslation {
 public:
  struct Options {
    std::uint32_t logical_slots;
    std::uint32_t slots_per_block;
    std::uint32_t slots_per_page;  // what one read of the flash brings
    // Without the one that stays erased; at least two blocks more than the logical slots fill.
    std::uint32_t blocks;
  };
  enum class Fill : std::uint8_t {
    fresh,   // nothing is written
    filled,  // everything is written once, in order
    steady,  // everything is written, and then overwritten at random for a long time
  };
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  FlashTranslation(const Options& options, Fill fill);

  // The physical slot of a logical one, or kNowhere.
  [[nodiscard]] std::uint32_t where(std::uint32_t logical) const { return map_[logical]; }

  struct Written {
    std::uint32_t slot;        // where it went
    std::uint32_t copied = 0;  // slots copied before that, to the start of the same block
    std::uint32_t pages = 0;   // pages that were read for it
    bool erased = false;       // a block was collected and erased
  };
  Written write(std::uint32_t logical);

  // Leaves the next n slots unused; they must be in the open block.
  void skip(std::uint32_t n) { position_ += n; }

  // The slot that the next write takes, unless it opens a block.
  [[nodiscard]] std::uint32_t next_slot() const { return open_ * options_.slots_per_block + position_; }

  // Totals since the start.
  [[nodiscard]] std::uint64_t slots_written() const { return written_; }
  [[nodiscard]] std::uint64_t slots_copied() const { return copied_; }

 private:
  void fill_in_order();
  void fill_steady();
  void put(std::uint32_t logical, std::uint32_t slot);
  void open_next(Written& written);
  void collect(Written& written);
  void link(std::uint32_t block);
  void unlink(std::uint32_t block);
  [[nodiscard]] std::uint32_t fewest_valid();

  Options options_;
  std::vector<std::uint32_t> map_;  // logical slot -> physical
  // Physical slot -> the logical one that was written there last; valid while that still maps to it.
  std::vector<std::uint32_t> owner_;
  // Full blocks by their number of valid slots: doubly linked lists, so that each write costs a constant time.
  std::vector<std::uint32_t> valid_;
  std::vector<std::uint32_t> first_;  // of a number of valid slots
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> previous_;
  std::vector<bool> full_;
  std::vector<std::uint32_t> erased_;  // the last one is opened next
  std::uint32_t least_ = 0;            // no full block has fewer valid slots
  std::uint32_t open_ = 0;
  std::uint32_t position_ = 0;  // in the open block
  std::uint64_t written_ = 0;
  std::uint64_t copied_ = 0;
};

}  // namespace blkpress::sim
