#include "device/flash_translation.hpp"

#include <algorithm>
#include <numeric>

#include "blkpress/result.hpp"

namespace blkpress::sim {

FlashTranslation::FlashTranslation(const Options& options, Fill fill)
    : options_(options),
      map_(options.logical_slots, kNowhere),
      owner_(std::size_t{options.blocks + 1} * options.slots_per_block, kNowhere),
      valid_(options.blocks + 1, 0),
      first_(options.slots_per_block + 1, kNowhere),
      next_(options.blocks + 1, kNowhere),
      previous_(options.blocks + 1, kNowhere),
      full_(options.blocks + 1, false),
      least_(options.slots_per_block) {
  BLKPRESS_ASSERT(std::uint64_t{options.blocks} * options.slots_per_block >=
                  options.logical_slots + 2ULL * options.slots_per_block);
  if (fill == Fill::steady) {
    fill_steady();
    return;
  }
  for (std::uint32_t block = options_.blocks; block > 0; --block) erased_.push_back(block);
  if (fill == Fill::filled) fill_in_order();
}

void FlashTranslation::fill_in_order() {
  for (std::uint32_t logical = 0; logical < options_.logical_slots; ++logical) write(logical);
  written_ = 0;
}

// Under uniform random writes the valid share x of the full blocks has a density in proportion to 1/x, from that of the
// block collected next up to 1: a block loses its valid slots at a rate in proportion to how many it has. So the shares
// of the blocks, by age, are a geometric series, and its ratio follows from their sum. Which slots are valid is random.
void FlashTranslation::fill_steady() {
  const std::uint32_t full = options_.blocks - 1;
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double ratio = (low + high) / 2;
    double share = 1;
    double sum = 0;
    for (std::uint32_t block = 0; block < full; ++block, share *= ratio) sum += share;
    (sum * options_.slots_per_block < options_.logical_slots ? low : high) = ratio;
  }
  Random random(1);
  std::vector<std::uint32_t> order(options_.logical_slots);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);

  std::uint32_t taken = 0;
  double wanted = 0;
  double share = 1;
  for (std::uint32_t block = 0; block < full; ++block, share *= high) {
    wanted += share * options_.slots_per_block;
    const auto until = block + 1 == full ? options_.logical_slots : static_cast<std::uint32_t>(wanted + 0.5);
    const std::uint32_t left_in_all = options_.logical_slots - taken;
    std::uint32_t choose = std::min({until - std::min(until, taken), left_in_all, options_.slots_per_block});
    for (std::uint32_t i = 0; i < options_.slots_per_block; ++i) {
      if (random.below(options_.slots_per_block - i) >= choose) continue;
      put(order[taken++], block * options_.slots_per_block + i);
      --choose;
    }
    full_[block] = true;
    link(block);
  }
  // What rounding has left over, if anything, is written as the host would.
  open_ = full;
  erased_.push_back(full + 1);
  while (taken < options_.logical_slots) write(order[taken++]);
  written_ = 0;
  copied_ = 0;
}

void FlashTranslation::link(std::uint32_t block) {
  const std::uint32_t count = valid_[block];
  previous_[block] = kNowhere;
  next_[block] = first_[count];
  if (next_[block] != kNowhere) previous_[next_[block]] = block;
  first_[count] = block;
  least_ = std::min(least_, count);
}

void FlashTranslation::unlink(std::uint32_t block) {
  if (previous_[block] == kNowhere) {
    first_[valid_[block]] = next_[block];
  } else {
    next_[previous_[block]] = next_[block];
  }
  if (next_[block] != kNowhere) previous_[next_[block]] = previous_[block];
}

std::uint32_t FlashTranslation::fewest_valid() {
  while (first_[least_] == kNowhere) ++least_;
  return first_[least_];
}

void FlashTranslation::put(std::uint32_t logical, std::uint32_t slot) {
  const std::uint32_t old = map_[logical];
  if (old != kNowhere) {
    const std::uint32_t block = old / options_.slots_per_block;
    if (full_[block]) {
      unlink(block);
      --valid_[block];
      link(block);
    } else {
      --valid_[block];
    }
  }
  map_[logical] = slot;
  owner_[slot] = logical;
  ++valid_[slot / options_.slots_per_block];
}

// The open block is full: opens another, with what is collected at its start.
void FlashTranslation::open_next(Written& written) {
  full_[open_] = true;
  link(open_);
  open_ = erased_.back();
  erased_.pop_back();
  position_ = 0;
  if (erased_.empty()) collect(written);
}

void FlashTranslation::collect(Written& written) {
  const std::uint32_t victim = fewest_valid();
  unlink(victim);
  full_[victim] = false;
  const std::uint32_t first = victim * options_.slots_per_block;
  std::uint32_t last_page = kNowhere;
  for (std::uint32_t slot = first; valid_[victim] > 0; ++slot) {
    if (owner_[slot] == kNowhere || map_[owner_[slot]] != slot) continue;
    put(owner_[slot], open_ * options_.slots_per_block + position_++);
    ++written.copied;
    if (slot / options_.slots_per_page != last_page) ++written.pages;
    last_page = slot / options_.slots_per_page;
  }
  copied_ += written.copied;
  written.erased = true;
  erased_.push_back(victim);
}

FlashTranslation::Written FlashTranslation::write(std::uint32_t logical) {
  Written written{};
  if (position_ == options_.slots_per_block) open_next(written);
  written.slot = next_slot();
  ++position_;
  put(logical, written.slot);
  ++written_;
  return written;
}

}  // namespace blkpress::sim
