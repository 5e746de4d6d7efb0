// How much of a ZFS pool can be used: metaslabs, the embedded log, slop, available, statvfs, refreservation.
//
// All sizes in bytes. Sources: docs/accounting.md. Threads: pure functions and values.
#pragma once

#include <cstdint>

#include "blkpress/result.hpp"
#include "blkpress/vdev.hpp"

namespace blkpress {

// A pool with one top-level vdev, as OpenZFS 2.1 and later cut it up.
struct PoolSpace {
  std::uint64_t vdev_asize = 0;          // after labels and boot block, parity included
  int metaslab_shift = 0;                // a metaslab has 2^shift bytes
  std::uint64_t metaslab_count = 0;      // the embedded log included
  std::uint64_t normal_space = 0;        // for data, parity included
  std::uint64_t embedded_log_space = 0;  // 0, or one metaslab
  std::uint64_t embedded_log_dspace = 0;
  std::uint64_t dspace = 0;  // normal_space deflated: what `used` can grow to, with the slop
  std::uint64_t slop = 0;    // kept back so that removing always works

  // AVAIL of the root dataset; root_used is its `used`, the pool's own metadata included. 0 when full.
  [[nodiscard]] std::uint64_t available(std::uint64_t root_used) const;
};

// child_bytes: size of each of the vdev's files or disks. Errors: usage, when that leaves no room for a metaslab.
Result<PoolSpace> pool_space(const VdevGeometry& vdev, std::uint64_t child_bytes);

// The slop of OpenZFS 2.1 and later.
std::uint64_t slop_space(std::uint64_t dspace, std::uint64_t embedded_log_dspace);

// AVAIL of the root dataset of a pool of version 13 to 28, which keeps back 1/64 of its size.
std::uint64_t available_before_feature_flags(std::uint64_t dspace, std::uint64_t root_used);

// statvfs(2) of a filesystem: block counts in units of recordsize.
struct StatvfsNumbers {
  std::uint64_t block_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t blocks_free = 0;
};
StatvfsNumbers statvfs_numbers(std::uint64_t referenced, std::uint64_t available, std::uint64_t recordsize);

// refreservation=auto of a volume: room for all of it at its worst, indirect blocks included.
std::uint64_t volume_refreservation(std::uint64_t volsize, std::uint64_t volblocksize, int copies,
                                    const VdevGeometry& vdev);

}  // namespace blkpress
