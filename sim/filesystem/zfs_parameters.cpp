// Defaults of OpenZFS's module parameters by version.
#include <algorithm>

#include "blkpress/sim/zfs_filesystem.hpp"

namespace blkpress::sim {

namespace {

// zio_taskq_batch_pct: 75 up to 2.0, 80 since 2.1 (module/zfs/spa.c, zio_taskqs); at least one thread. Before feature
// flags the write-issue queue had eight threads whatever the host, and one CPU's worth of them ran at a time.
std::uint32_t write_issue_threads(ZfsVersion version, std::uint32_t cores) {
  if (version.before_feature_flags()) return 8;
  return std::max(1U, cores * 80 / 100);
}

}  // namespace

ZfsWriteParameters ZfsWriteParameters::defaults(ZfsVersion version, std::uint64_t memory_bytes, std::uint32_t cores,
                                                bool rotational) {
  ZfsWriteParameters parameters;
  // module/zfs/arc.c, arc_init: a tenth of memory, at most 4 GiB or a quarter of it.
  parameters.dirty_data_max = std::min({memory_bytes / 10, 4 * kGiB, memory_bytes / 4});
  parameters.write_delay = !version.before_feature_flags();
  parameters.compress_threads = write_issue_threads(version, cores);
  // module/zfs/vdev_queue.c: zfs_vdev_aggregation_limit 1 MiB, ..._non_rotating 128 KiB (0.8 and later); 128 KiB
  // before.
  parameters.aggregation_limit = rotational && !version.before_feature_flags() ? kMiB : 128 * kKiB;
  return parameters;
}

}  // namespace blkpress::sim
