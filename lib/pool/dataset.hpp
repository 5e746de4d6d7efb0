// Dataset and Snapshot: what the pool's tree says of them, and what is kept in memory while the pool is open.
//
// Threads: under the pool's lock.
#pragma once

#include <map>

#include "blkpress/pool.hpp"
#include "pool/object_state.hpp"
#include "pool/record_settings.hpp"

namespace blkpress {

// The tree of a dataset or snapshot while it is open, and its objects.
struct OpenTree {
  std::unique_ptr<Btree> tree;                                               // null: not opened yet
  std::map<std::string, std::shared_ptr<ObjectState>, std::less<>> objects;  // by name
};

struct Snapshot {
  std::uint64_t id = 0;
  std::uint64_t dataset = 0;
  std::string name;       // behind the @
  std::uint64_t txg = 0;  // all of its blocks were born in this group or before
  std::uint64_t creation_s = 0;
  std::uint64_t guid = 0;
  std::uint64_t deadlist = 0;  // of blocks that the snapshot before had and this one has not
  std::uint64_t written = 0;   // bytes born since the snapshot before
  std::uint64_t next_object = 1;
  BlockPointer root;
  DatasetSpace referenced;

  OpenTree open;
  std::vector<std::uint64_t> clones;  // datasets; from their records

  [[nodiscard]] std::string encode() const;
  static Result<std::unique_ptr<Snapshot>> decode(std::uint64_t id, std::string_view value);
};

struct Dataset {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  // 0: this is the root
  std::string name;          // last part of the path; "" for the root
  bool volume = false;
  std::uint64_t creation_s = 0;
  std::uint64_t guid = 0;
  std::uint64_t origin = 0;    // snapshot that it is a clone of; 0: none
  std::uint64_t deadlist = 0;  // of blocks that its last snapshot has and it has not any more
  std::uint64_t written = 0;   // bytes born since the last snapshot
  std::uint64_t next_object = 1;
  BlockPointer root;
  DatasetSpace referenced;  // all that the tree leads to
  DatasetSpace head;        // of these, what was not there in the origin: `usedbydataset`
  DatasetSpace snapshots;   // what only its snapshots lead to: `usedbysnapshots`

  // In keys of their own.
  std::map<std::string, std::string, std::less<>> properties;  // set here

  // Found when the pool is opened.
  std::vector<Snapshot*> snapshot_list;  // oldest first
  std::map<std::string, Dataset*, std::less<>> children;
  Dataset* parent_dataset = nullptr;
  std::uint64_t origin_txg = 0;

  OpenTree open;
  std::shared_ptr<const RecordSettings> settings;  // null: to be worked out from the properties
  std::uint64_t quota = 0, reservation = 0;        // of the properties, in bytes; 0: none
  // As of the last DatasetTable::roll_up(), in bytes.
  std::uint64_t used = 0, used_by_children = 0, available = 0;

  // Group of its last snapshot, or its origin's: blocks born later are its own alone.
  [[nodiscard]] std::uint64_t last_snapshot_txg() const {
    return snapshot_list.empty() ? origin_txg : snapshot_list.back()->txg;
  }
  [[nodiscard]] std::string encode() const;
  static Result<std::unique_ptr<Dataset>> decode(std::uint64_t id, std::string_view value);
};

}  // namespace blkpress
