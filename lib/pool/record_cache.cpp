#include "pool/record_cache.hpp"

namespace blkpress {

std::shared_ptr<const RecordBytes> RecordCache::find(const RecordKey& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->bytes;
}

std::shared_ptr<const RecordBytes> RecordCache::take(const RecordKey& key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  auto bytes = place->second->bytes;
  drop(place->second);
  return bytes;
}

void RecordCache::insert(const RecordKey& key, std::shared_ptr<const RecordBytes> bytes) {
  erase(key);
  if (bytes->size() > bytes_max_) return;
  bytes_ += bytes->size();
  entries_.push_front({key, std::move(bytes)});
  places_.emplace(key, entries_.begin());
  while (bytes_ > bytes_max_) drop(std::prev(entries_.end()));
}

void RecordCache::drop(std::list<Entry>::iterator entry) {
  bytes_ -= entry->bytes->size();
  places_.erase(entry->key);
  entries_.erase(entry);
}

void RecordCache::erase_owner(std::uint64_t owner) {
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto entry = at++;
    if (entry->key.owner == owner) drop(entry);
  }
}

void RecordCache::erase_object(std::uint64_t owner, std::uint64_t object, std::uint64_t from_index,
                               std::uint64_t to_index) {
  if (to_index - from_index <= entries_.size()) {
    for (std::uint64_t index = from_index; index < to_index; ++index) erase({owner, object, index});
    return;
  }
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto entry = at++;
    const RecordKey& key = entry->key;
    if (key.owner == owner && key.object == object && key.index >= from_index && key.index < to_index) drop(entry);
  }
}

}  // namespace blkpress
