// Defaults of OpenZFS's module parameters by version.
#include <fmt/format.h>

#include <algorithm>

#include "blkpress/sim/zfs_filesystem.hpp"

namespace blkpress::sim {

namespace {

// zio_taskq_batch_pct: 80 since 2.1 (module/zfs/spa.c, zio_taskqs); at least one thread. Before feature
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

Result<ZfsWriteParameters> ZfsWriteSettings::parameters(const ZfsOptions& options, std::uint64_t memory_bytes,
                                                        std::uint32_t cores) const {
  auto parameters = ZfsWriteParameters::defaults(options.version, memory_bytes, cores, rotational);
  parameters.recordsize = options.recordsize;
  parameters.dirty_data_max = dirty_data_max.value_or(parameters.dirty_data_max);
  if (parameters.dirty_data_max < 2 * parameters.recordsize) {
    return Error{ErrorKind::usage, fmt::format("dirty_data_max of {} bytes is less than two records of {}",
                                               parameters.dirty_data_max, parameters.recordsize)};
  }
  parameters.metadata_phase = metadata_phase;
  parameters.metadata_share = metadata_share;
  parameters.copy_time = copy_time;
  parameters.timer_slack = timer_slack;
  parameters.speed_variation = speed_variation;
  parameters.write_delay = parameters.write_delay && write_delay;
  parameters.compress_threads += more_compress_threads;
  return parameters;
}

}  // namespace blkpress::sim
