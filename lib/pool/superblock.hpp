// Superblock: what a transaction group is reached from. One slot of 4 KiB in a ring at each end of the file.
//
// Threads: values; the functions read or write the file from the caller's thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blkpress/block_file.hpp"
#include "pool/block_pointer.hpp"
#include "pool/pool_geometry.hpp"

namespace blkpress {

struct Superblock {
  static constexpr std::uint32_t kVersion = 1;

  PoolGeometry geometry;
  std::uint64_t guid = 0;
  std::uint64_t creation_s = 0;  // seconds since 1970
  std::uint64_t txg = 0;
  unsigned table_side = 0;  // 0: A, 1: B
  BlockChecksum table_checksum = {};
  std::uint64_t allocated_sectors = 0;
  BlockPointer root;  // of the pool's tree; a hole: the tree is empty
  std::vector<std::string> compatible, read_only_compatible, incompatible;  // names of features in use

  [[nodiscard]] std::vector<std::byte> encode() const;  // kSlotBytes
  // nullopt: not a superblock, or damaged. Errors: usage: a version that this build does not know.
  static Result<std::optional<Superblock>> decode(ByteView slot);
};

struct FoundSuperblock {
  Superblock superblock;
  bool both_ends = false;  // otherwise one of the two copies is damaged
};

// The newest superblock of both rings. Errors: corrupt: there is none; usage: a feature or version that this build does
// not know; io.
Result<FoundSuperblock> find_superblock(BlockFile& file);
// Writes it into its slot at both ends; not flushed.
Status write_superblock(BlockFile& file, const Superblock& superblock);
// Empties both rings.
Status clear_superblocks(BlockFile& file, std::uint64_t size);

}  // namespace blkpress
