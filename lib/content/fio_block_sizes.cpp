#include "content/fio_block_sizes.hpp"

#include <algorithm>

namespace blkpress {
namespace {

// fio draws until a length fits. Where hardly any would, near the end of a file, we stop at this many and take the
// smallest.
constexpr int kMaxDraws = 100000;

std::vector<FioSplit> sorted_split(std::vector<FioSplit> entries) {
  std::uint32_t given = 0;
  std::uint32_t blank = 0;
  for (const FioSplit& entry : entries) {
    given += entry.percent.value_or(0);
    blank += entry.percent ? 0 : 1;
  }
  for (FioSplit& entry : entries) {
    if (!entry.percent) entry.percent = (100 - std::min(given, 100U)) / blank;
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const FioSplit& a, const FioSplit& b) { return *a.percent < *b.percent; });
  return entries;
}

}  // namespace

FioBlockSizeStream::FioBlockSizeStream(const FioBlockSizes& sizes, bool unaligned, std::uint64_t seed)
    : min_(sizes.min), max_(sizes.max), unaligned_(unaligned), random_(seed) {
  std::uint64_t cumulative = 0;
  for (const FioSplit& entry : sorted_split(sizes.split)) {
    cumulative += *entry.percent;
    entries_.push_back({entry.size, cumulative});
  }
}

std::uint64_t FioBlockSizeStream::next(std::uint64_t room) {
  if (room < min_) return 0;
  if (min_ == max_) return min_;
  for (int i = 0; i < kMaxDraws; ++i) {
    const std::uint32_t r = random_.next();
    const std::uint64_t length = entries_.empty() ? from_range(r) : from_split(r, room);
    if (length > 0 && length <= room) return length;
  }
  return min_;
}

std::uint64_t FioBlockSizeStream::from_split(std::uint32_t r, std::uint64_t room) const {
  constexpr std::uint32_t kPercent = 0xffffffffU / 100;
  for (const Entry& entry : entries_) {
    if (entry.cumulative_percent > 0 && r / entry.cumulative_percent <= kPercent && entry.size <= room) {
      return entry.size;
    }
  }
  return entries_.back().size;
}

std::uint64_t FioBlockSizeStream::from_range(std::uint32_t r) const {
  auto length = min_ + static_cast<std::uint64_t>(static_cast<double>(max_) * (static_cast<double>(r) / 4294967296.0));
  if (!unaligned_) length -= length % min_;
  return std::min(length, max_);
}

}  // namespace blkpress
