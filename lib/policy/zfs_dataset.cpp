#include <span>

#include "blkpress/zfs_policy.hpp"

namespace blkpress {
namespace {

// The metadata blocks of an empty dataset, in 512-byte units: what they compress to, or their size when raw. There are
// two copies of each. The sizes of a file system are the one set that gives what OpenZFS 2.4 showed on five vdevs at
// ashift 9 and 12 (used and logicalused); those of a volume give its two measured totals.
struct MetadataBlock {
  std::uint32_t units;
  bool raw;
};
constexpr MetadataBlock kFileSystemBlocks[] = {{1, false}, {1, false}, {2, false}, {2, false}, {2, false}, {2, false},
                                               {2, false}, {2, false}, {2, false}, {4, false}, {1, true},  {3, true}};
constexpr MetadataBlock kVolumeBlocks[] = {{1, false}, {1, false}, {1, false}, {1, false},
                                           {2, false}, {2, false}, {4, false}};

}  // namespace

EmptyDataset zfs_empty_dataset(ZfsVersion version, ZfsLayout layout, const VdevGeometry& vdev) {
  constexpr std::uint64_t kCopies = 2;
  if (version.before_feature_flags()) {
    // A v23 pool listed 21K for a new file system; published ones of 2008 show 18K to 22K, so this is best given.
    return {.used = 21 * kKiB, .compressed = 21 * kKiB / kCopies, .uncompressed = 21 * kKiB / kCopies};
  }
  EmptyDataset empty;
  const std::span<const MetadataBlock> blocks =
      layout == ZfsLayout::file ? std::span<const MetadataBlock>(kFileSystemBlocks) : std::span(kVolumeBlocks);
  for (const MetadataBlock& block : blocks) {
    const std::uint64_t bytes = std::uint64_t{block.units} * 512;
    const std::uint64_t psize = block.raw ? bytes : round_up(bytes, vdev.sector_bytes());
    empty.used += kCopies * vdev.deflated(vdev.asize(psize));
    empty.compressed += psize;
  }
  empty.uncompressed = empty.compressed;
  return empty;
}

}  // namespace blkpress
