#include "filesystem/lru_records.hpp"

#include <algorithm>

namespace blkpress::sim {

void LruRecords::push(std::uint32_t record, std::uint32_t bytes) {
  if (entries_.size() <= record) entries_.resize(static_cast<std::size_t>(record) + 1);
  entries_[record] = {newest_, kNone, std::max(bytes, 1U)};
  if (newest_ != kNone) entries_[newest_].newer = record;
  newest_ = record;
  if (oldest_ == kNone) oldest_ = record;
  used_ += entries_[record].bytes;
}

void LruRecords::remove(std::uint32_t record) {
  if (record >= entries_.size() || entries_[record].bytes == 0) return;
  Entry& entry = entries_[record];
  (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
  (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
  used_ -= entry.bytes;
  entry = {};
}

}  // namespace blkpress::sim
