// PoolWalk: visits every block of a pool once, and adds up again what the pool says of itself.
//
// Threads: under the pool's lock; everything is committed.
#pragma once

#include "pool/pool_engine.hpp"

namespace blkpress {

class PoolWalk {
 public:
  // read_all: also reads and heals every copy.
  PoolWalk(PoolEngine& engine, bool read_all);
  CheckReport run();

 private:
  // One tree from the group `since` on: its own blocks; and all of it, for the account of what it leads to.
  struct Sums {
    DatasetSpace own, all;
  };
  Sums walk_tree(const std::string& name, const BlockPointer& root, std::uint64_t since, std::uint64_t born_max);
  void walk_dataset(Dataset& dataset);
  void visit_block(const std::string& where, const BlockPointer& pointer);
  void compare(const std::string& where, const char* what, const DatasetSpace& says, const DatasetSpace& is);
  void check_dead_lists();
  void problem(std::string where, std::string what);

  PoolEngine& engine_;
  bool read_all_;
  SpaceCheck space_;
  CheckReport report_;
};

}  // namespace blkpress
