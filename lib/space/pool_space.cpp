#include "blkpress/pool_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "blkpress/bytes.hpp"

namespace blkpress {
namespace {

// Two labels of 256 KiB in front with a boot block of 3.5 MiB, two behind: OpenZFS, include/sys/vdev_impl.h.
constexpr std::uint64_t kLabelsAndBootBytes = 4 * kMiB + 512 * kKiB;
constexpr std::uint64_t kLabelBytes = 256 * kKiB;

// OpenZFS, module/zfs/vdev.c:vdev_metaslab_set_size: aim at 16 metaslabs of a small vdev, then at metaslabs of 512 MiB,
// from 200 of them on at 200, and at more when they would exceed 16 GiB.
int metaslab_shift(std::uint64_t asize) {
  constexpr int kDefaultShift = 29;
  const std::uint64_t at_default = asize >> kDefaultShift;
  if (at_default < 16) return std::max(24, static_cast<int>(std::bit_width(asize / 16)));
  if (at_default <= 200) return kDefaultShift;
  return std::min(34, static_cast<int>(std::bit_width(asize / 200)));
}

// From this many metaslabs on one is set aside as the embedded log: OpenZFS, module/zfs/vdev.c:
// zfs_embedded_slog_min_ms.
constexpr std::uint64_t kEmbeddedLogMinMetaslabs = 64;

}  // namespace

// OpenZFS, module/zfs/spa_misc.c:spa_get_slop_space.
std::uint64_t slop_space(std::uint64_t dspace, std::uint64_t embedded_log_dspace) {
  std::uint64_t slop = std::min(dspace / 32, 128 * kGiB);
  slop -= std::min(embedded_log_dspace, slop / 2);
  return std::max(slop, std::min(dspace / 2, 128 * kMiB));
}

std::uint64_t PoolSpace::available(std::uint64_t root_used) const {
  const std::uint64_t usable = dspace - slop;
  return usable > root_used ? usable - root_used : 0;
}

Result<PoolSpace> pool_space(const VdevGeometry& vdev, std::uint64_t child_bytes) {
  PoolSpace pool;
  if (child_bytes > kLabelsAndBootBytes) {
    const auto counted = static_cast<std::uint64_t>(vdev.kind == VdevKind::raidz ? vdev.children : 1);
    pool.vdev_asize = counted * ((child_bytes - kLabelsAndBootBytes) / kLabelBytes * kLabelBytes);
    pool.metaslab_shift = metaslab_shift(pool.vdev_asize);
    pool.metaslab_count = pool.vdev_asize >> pool.metaslab_shift;
  }
  if (child_bytes < 64 * kMiB || pool.metaslab_count == 0) {
    return Error{ErrorKind::usage,
                 fmt::format("a device of {} bytes is less than {}, the least that a pool can be made of", child_bytes,
                             64 * kMiB)};
  }
  const std::uint64_t metaslab_bytes = std::uint64_t{1} << pool.metaslab_shift;
  const bool embedded_log = pool.metaslab_count >= kEmbeddedLogMinMetaslabs;
  pool.embedded_log_space = embedded_log ? metaslab_bytes : 0;
  pool.normal_space = pool.metaslab_count * metaslab_bytes - pool.embedded_log_space;
  pool.embedded_log_dspace = vdev.deflated(pool.embedded_log_space);
  pool.dspace = vdev.deflated(pool.normal_space);
  pool.slop = slop_space(pool.dspace, pool.embedded_log_dspace);
  return pool;
}

std::uint64_t available_before_feature_flags(std::uint64_t dspace, std::uint64_t root_used) {
  const std::uint64_t usable = dspace - dspace / 64;
  return usable > root_used ? usable - root_used : 0;
}

// OpenZFS, module/os/linux/zfs/zfs_vfsops.c:zfs_statvfs.
StatvfsNumbers statvfs_numbers(std::uint64_t referenced, std::uint64_t available, std::uint64_t recordsize) {
  return {.block_bytes = recordsize,
          .blocks = (round_up(referenced, recordsize) + available) / recordsize,
          .blocks_free = available / recordsize};
}

// OpenZFS, lib/libzfs/libzfs_dataset.c:zvol_volsize_to_reservation and volsize_from_vdevs.
std::uint64_t volume_refreservation(std::uint64_t volsize, std::uint64_t volblocksize, int copies,
                                    const VdevGeometry& vdev) {
  const std::uint64_t blocks = (volsize + volblocksize - 1) / volblocksize;
  std::uint64_t data = volsize;
  if (vdev.kind == VdevKind::raidz) {
    // Scaled as `used` will count it, relative to what 128 KiB take.
    __extension__ using Wide = unsigned __int128;
    constexpr std::uint64_t kReference = 128 * kKiB;
    const Wide scaled = static_cast<Wide>(blocks) * vdev.asize(volblocksize) * kReference;
    data = static_cast<std::uint64_t>(scaled / vdev.asize(kReference));
  }
  constexpr std::uint64_t kPointersPerIndirect = 1024;
  std::uint64_t metadata_blocks = 7;  // of an empty volume
  for (std::uint64_t level = blocks; level > 1;) {
    level = (level + kPointersPerIndirect - 1) / kPointersPerIndirect;
    metadata_blocks += level;
  }
  const auto metadata_copies = static_cast<std::uint64_t>(std::min(3, copies + 1));
  return data * static_cast<std::uint64_t>(copies) + metadata_blocks * metadata_copies * 128 * kKiB;
}

}  // namespace blkpress
