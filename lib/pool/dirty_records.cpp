#include "pool/dirty_records.hpp"

#include "blkpress/result.hpp"

namespace blkpress {

DirtyRecords::Entry* DirtyRecords::find(const RecordKey& key) {
  const auto at = entries_.find(key);
  return at == entries_.end() ? nullptr : &at->second;
}

DirtyRecords::Entry& DirtyRecords::open(const RecordKey& key, std::shared_ptr<ObjectState> object,
                                        std::shared_ptr<RecordBytes> bytes, std::uint64_t reserved) {
  Entry& entry = entries_[key];
  BLKPRESS_ASSERT(!entry.bytes || !entry.open);
  open_bytes_ += bytes->size();
  entry.bytes = std::move(bytes);
  entry.object = std::move(object);
  entry.reserved = reserved;
  entry.open = true;
  entry.turn = turns_.insert(turns_.end(), key);
  return entry;
}

void DirtyRecords::resize(Entry& entry, std::size_t size) {
  BLKPRESS_ASSERT(entry.open);
  open_bytes_ += size;
  open_bytes_ -= entry.bytes->size();
  entry.bytes->resize(size);
}

DirtyRecords::Taken DirtyRecords::take_oldest() {
  const RecordKey key = turns_.front();
  turns_.pop_front();
  Entry& entry = entries_.at(key);
  entry.open = false;
  open_bytes_ -= entry.bytes->size();
  return {key, entry};
}

bool DirtyRecords::placed(const RecordKey& key, const std::shared_ptr<const RecordBytes>& bytes) {
  const auto at = entries_.find(key);
  if (at == entries_.end() || at->second.bytes != bytes) return false;
  entries_.erase(at);
  return true;
}

bool DirtyRecords::not_placed(const RecordKey& key, const std::shared_ptr<const RecordBytes>& bytes) {
  const auto at = entries_.find(key);
  if (at == entries_.end() || at->second.bytes != bytes || at->second.open) return false;
  at->second.open = true;
  at->second.turn = turns_.insert(turns_.end(), key);
  open_bytes_ += bytes->size();
  return true;
}

DirtyRecords::Entries::iterator DirtyRecords::drop(Entries::iterator at) {
  BLKPRESS_ASSERT(at->second.open);
  open_bytes_ -= at->second.bytes->size();
  turns_.erase(at->second.turn);
  return entries_.erase(at);
}

std::uint64_t DirtyRecords::erase(std::uint64_t owner, std::uint64_t object, std::uint64_t from_index,
                                  std::uint64_t to_index) {
  std::uint64_t reserved = 0;
  auto at = entries_.lower_bound({owner, object, from_index});
  while (at != entries_.end() && at->first < RecordKey{owner, object, to_index}) {
    reserved += at->second.reserved;
    at = drop(at);
  }
  return reserved;
}

std::uint64_t DirtyRecords::erase_owner(std::uint64_t owner) {
  std::uint64_t reserved = 0;
  auto at = entries_.lower_bound({owner, 0, 0});
  while (at != entries_.end() && at->first.owner == owner) {
    reserved += at->second.reserved;
    at = drop(at);
  }
  return reserved;
}

std::optional<std::uint64_t> DirtyRecords::next(std::uint64_t owner, std::uint64_t object, std::uint64_t index) const {
  const auto at = entries_.lower_bound({owner, object, index});
  if (at == entries_.end() || at->first.owner != owner || at->first.object != object) return std::nullopt;
  return at->first.index;
}

}  // namespace blkpress
