// PoolLife: what a volume in a pool held over time, and what was durable when; for tests that end it early.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pool/image_file.hpp"
#include "pool/pool_model.hpp"

namespace blkpress::test {

inline constexpr std::size_t kBlock = 4096, kBlocks = 40;

// What the volume's blocks held over time, and what was durable when.
struct PoolLife {
  Image begin;
  Image end;  // when it ended, or was ended
  std::shared_ptr<std::vector<FileChange>> log = std::make_shared<std::vector<FileChange>>();
  // Per block: its contents in the order of the writes, with the length of the log when each was begun.
  struct Version {
    std::size_t begun_at;
    Bytes8 bytes;
  };
  std::vector<std::vector<Version>> blocks;
  // Calls that make everything before them durable.
  struct Flush {
    std::size_t done_at;
    std::vector<std::size_t> versions;  // of each block
    std::vector<std::pair<std::string, std::vector<std::size_t>>> snapshots;
  };
  std::vector<Flush> flushes;
};

// A life of so many calls in a pool of 8 MiB, ended by the first one that fails under the plan.
PoolLife record_life(std::uint64_t seed, unsigned calls, const FaultPlan& plan = {});

// Opens what is left of a life after a cut. cut: changes of the file that were begun. Returns what is wrong, or
// nothing.
std::string reopen(const PoolLife& life, Image& image, std::size_t cut, bool go_on, Undo& undo);

}  // namespace blkpress::test
