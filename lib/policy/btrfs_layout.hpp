// Sizes that the rules of Btrfs are made of.
#pragma once

#include <cstdint>
#include <string_view>

#include "blkpress/bytes.hpp"

namespace blkpress {

inline constexpr std::uint32_t kBtrfsSector = 4 * kKiB;    // sectorsize of mkfs.btrfs
inline constexpr std::uint32_t kBtrfsExtent = 128 * kKiB;  // Linux, fs/btrfs/compression.h: BTRFS_MAX_UNCOMPRESSED
inline constexpr std::uint32_t kBtrfsChunk = 512 * kKiB;   // Linux, fs/btrfs/inode.c:run_delalloc_compressed
inline constexpr std::uint64_t kBtrfsRange = 128 * kMiB;   // Linux, fs/btrfs/fs.h: BTRFS_MAX_EXTENT_SIZE

inline constexpr std::string_view kBtrfsPropertyNames = "compress, compress-force, max_inline, nodatacow, fallocate";

}  // namespace blkpress
