// RecordCache: decoded records, the least recently used ones go first. And RecordKey, what a record is found by.
//
// Threads: under the pool's lock; the records themselves never change.
#pragma once

#include <compare>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "blkpress/random.hpp"
#include "pool/record_bytes.hpp"

namespace blkpress {

struct RecordKey {
  std::uint64_t owner = 0;  // dataset or snapshot
  std::uint64_t object = 0;
  std::uint64_t index = 0;
  friend auto operator<=>(const RecordKey&, const RecordKey&) = default;
};

struct RecordKeyHash {
  std::size_t operator()(const RecordKey& key) const {
    return static_cast<std::size_t>(mix64(key.index ^ mix64(key.object ^ mix64(key.owner))));
  }
};

class RecordCache {
 public:
  explicit RecordCache(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  // Null: not there.
  std::shared_ptr<const RecordBytes> find(const RecordKey& key);
  [[nodiscard]] bool contains(const RecordKey& key) const { return places_.contains(key); }
  // Takes it out. Null: not there.
  std::shared_ptr<const RecordBytes> take(const RecordKey& key);
  void insert(const RecordKey& key, std::shared_ptr<const RecordBytes> bytes);
  void erase(const RecordKey& key) { take(key); }
  // All records of an owner, or of one of its objects from an index up to one before `to`.
  void erase_owner(std::uint64_t owner);
  void erase_object(std::uint64_t owner, std::uint64_t object, std::uint64_t from_index, std::uint64_t to_index);

 private:
  struct Entry {
    RecordKey key;
    std::shared_ptr<const RecordBytes> bytes;
  };
  void drop(std::list<Entry>::iterator entry);

  std::uint64_t bytes_max_, bytes_ = 0;
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<RecordKey, std::list<Entry>::iterator, RecordKeyHash> places_;
};

}  // namespace blkpress
