// DeadLists: blocks that a snapshot still needs and what came after it does not, in the pool's tree by list and birth.
//
// As OpenZFS does (module/zfs/dsl_deadlist.c): when a snapshot goes, the list of what follows it says which blocks go
// with it. Threads: one at a time.
#pragma once

#include <functional>

#include "pool/btree.hpp"
#include "pool/dataset_space.hpp"

namespace blkpress {

class DeadLists {
 public:
  // tree: the pool's; next: number of the next entry, kept by the caller.
  DeadLists(Btree& tree, std::uint64_t& next) : tree_(tree), next_(next) {}

  using Visit = std::function<Status(const BlockPointer&)>;

  Status add(std::uint64_t list, const BlockPointer& pointer);
  // Entries born after a group.
  Status visit(std::uint64_t list, std::uint64_t since, const Visit& visit);
  // The same, and they leave the list.
  Status take(std::uint64_t list, std::uint64_t since, const Visit& visit);
  // All entries of one list go to another.
  Status move(std::uint64_t from, std::uint64_t to);

 private:
  struct Entry {
    std::string key;
    BlockPointer pointer;
  };
  // Up to some hundred entries from a key on.
  Result<std::vector<Entry>> some(const std::string& begin, const std::string& end);

  Btree& tree_;
  std::uint64_t& next_;
};

}  // namespace blkpress
