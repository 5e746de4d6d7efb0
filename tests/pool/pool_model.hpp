// What a pool must hold, kept in plain memory, and random operations on both.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "blkpress/pool.hpp"
#include "blkpress/random.hpp"

namespace blkpress::test {

using Bytes8 = std::vector<std::byte>;

// The same pool from the same operations.
inline PoolOptions repeatable(unsigned threads = 1) {
  PoolOptions options;
  options.threads = threads;
  options.dirty_bytes_max = kMiB;
  options.cache_bytes_max = kMiB;
  options.clock_s = [] { return std::uint64_t{1'700'000'000}; };
  options.guid = [next = std::make_shared<std::uint64_t>(0)] { return mix64(++*next); };
  return options;
}

class PoolModel {
 public:
  explicit PoolModel(std::uint64_t seed) : random_(seed), datasets_{{"", {}}} {}

  // One random operation on both. Errors: check_failed: they disagree.
  Status step(Pool& pool);
  // Both hold the same, snapshots too; the accounts add up; check() finds nothing.
  Status compare(Pool& pool);
  // All datasets but the root, and all objects of that, are gone afterwards.
  Status destroy_everything(Pool& pool);

  Random& random() { return random_; }

 private:
  struct State {
    bool volume = false;
    std::map<std::string, Bytes8> objects;  // of a volume: ""
  };
  struct Dataset : State {
    std::vector<std::pair<std::string, State>> snapshots;
    std::string origin;  // "db@a"
  };

  Bytes8 some_bytes(std::size_t size);
  std::string some_dataset();
  std::string some_snapshot();
  bool has_clone(const std::string& snapshot) const;
  Status write(Pool& pool);
  Status trim_or_resize(Pool& pool);
  Status objects(Pool& pool);
  Status read(Pool& pool);
  Status datasets(Pool& pool);
  Status snapshots(Pool& pool);
  Status rename(Pool& pool);
  void move(const std::string& from, const std::string& to);
  Status properties(Pool& pool);
  Result<std::shared_ptr<PoolObject>> open(Pool& pool, const std::string& dataset, const std::string& object);
  Status compare_state(Pool& pool, const std::string& name, const State& state);
  Status compare_accounts(Pool& pool);

  Random random_;
  std::map<std::string, Dataset> datasets_;
  unsigned names_ = 0;
};

}  // namespace blkpress::test
