// DirtyRecords: records that were written and have no place on disk yet, in the order in which they were first written.
//
// A record is open, and may be changed in place, until it is taken for writing out; then its bytes are fixed, and a
// later write makes a new open version of it. Threads: under the pool's lock.
#pragma once

#include <list>
#include <map>
#include <optional>

#include "pool/object_state.hpp"
#include "pool/record_cache.hpp"

namespace blkpress {

class DirtyRecords {
 public:
  struct Entry {
    std::shared_ptr<RecordBytes> bytes;  // the newest version
    std::shared_ptr<ObjectState> object;
    std::uint64_t reserved = 0;  // sectors that this version may take
    bool open = true;
    std::list<RecordKey>::iterator turn = {};  // while open
  };

  // Null: not dirty. The pointer is good until the record is taken out.
  Entry* find(const RecordKey& key);
  // A new open version, over the one that may be under way.
  Entry& open(const RecordKey& key, std::shared_ptr<ObjectState> object, std::shared_ptr<RecordBytes> bytes,
              std::uint64_t reserved);
  // Makes the bytes of an open entry longer, by zeros, or shorter.
  void resize(Entry& entry, std::size_t size);
  // The bytes of an open entry that had none were filled with so many.
  void resized(std::size_t size) { open_bytes_ += size; }
  // The oldest open record, from now on fixed. There is one.
  struct Taken {
    RecordKey key;
    Entry entry;
  };
  Taken take_oldest();
  // These bytes have their place. True when they are the newest version: the record is no longer dirty.
  bool placed(const RecordKey& key, const std::shared_ptr<const RecordBytes>& bytes);
  // These bytes found no place: if they are the newest version, the record is open again, and last in turn (true).
  bool not_placed(const RecordKey& key, const std::shared_ptr<const RecordBytes>& bytes);
  // Forgets records of an object from an index up to one before `to`. None of them is under way.
  // Sectors that were reserved for them.
  std::uint64_t erase(std::uint64_t owner, std::uint64_t object, std::uint64_t from_index, std::uint64_t to_index);
  std::uint64_t erase_owner(std::uint64_t owner);
  // Index of the first dirty record of an object that is not below.
  [[nodiscard]] std::optional<std::uint64_t> next(std::uint64_t owner, std::uint64_t object, std::uint64_t index) const;

  [[nodiscard]] std::size_t open_count() const { return turns_.size(); }
  [[nodiscard]] std::uint64_t open_bytes() const { return open_bytes_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  using Entries = std::map<RecordKey, Entry>;
  Entries::iterator drop(Entries::iterator at);

  Entries entries_;
  std::list<RecordKey> turns_;  // of open entries, oldest first
  std::uint64_t open_bytes_ = 0;
};

}  // namespace blkpress
