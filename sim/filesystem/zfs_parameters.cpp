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

ZfsReadParameters ZfsReadParameters::defaults(ZfsVersion version, std::uint64_t memory_bytes, bool rotational) {
  ZfsReadParameters parameters;
  const bool since_2_3 = !version.before_feature_flags() && version >= ZfsVersion::release(2, 3);
  const bool since_2_2 = !version.before_feature_flags() && version >= ZfsVersion::release(2, 2);
  // module/os/linux/zfs/arc_os.c: half of memory; since 2.3 five eighths, or all but 1 GiB.
  parameters.arc_max = memory_bytes / 2;
  if (since_2_3) {
    parameters.arc_max = std::max(memory_bytes / 8 * 5, memory_bytes > kGiB ? memory_bytes - kGiB : 0);
  }
  // module/zfs/dmu_zfetch.c: 8 MiB up to 2.1.5, later 64 MiB with a minimum of 4 MiB.
  if (since_2_2) {
    parameters.prefetch_distance = 64 * kMiB;
    parameters.prefetch_min_distance = 4 * kMiB;
  }
  parameters.aggregation_limit = ZfsWriteParameters::defaults(version, memory_bytes, 1, rotational).aggregation_limit;
  return parameters;
}

ZfsReadParameters ZfsReadSettings::parameters(const ZfsOptions& options, std::uint64_t memory_bytes,
                                              bool rotational) const {
  auto parameters = ZfsReadParameters::defaults(options.version, memory_bytes, rotational);
  parameters.arc_max = arc_max.value_or(parameters.arc_max);
  parameters.hit_time = hit_time;
  parameters.scattered_share = scattered_share;
  parameters.scattered_region_records = scattered_region_records;
  parameters.scattered_run_records = scattered_run_records;
  parameters.prefetch = prefetch;
  parameters.promotes_prefetch = promotes_prefetch;
  if (!aggregates) parameters.aggregation_limit = 0;
  return parameters;
}

}  // namespace blkpress::sim
