#include "workload/fio_limits.hpp"

#include <fmt/format.h>

#include "blkpress/bytes.hpp"

namespace blkpress::sim {

namespace {

// Whole records only: less would mean reading a record in order to change a part of it.
std::string unaligned(const FioJob& job, FioDirection direction, std::uint64_t recordsize) {
  const FioAccess& access = job.io.access;
  const auto index = static_cast<std::size_t>(direction);
  const FioBlockSizes& blocks = access.block_sizes[index];
  if (blocks.min != blocks.max || !blocks.split.empty()) return "only one block size is simulated";
  if (blocks.max > 64 * kMiB) return fmt::format("bs={} is more than 64 MiB", blocks.max);
  if (blocks.max % recordsize != 0) {
    return fmt::format("bs={} is not a multiple of the recordsize {}", blocks.max, recordsize);
  }
  if (access.bs_unaligned || access.block_align[index].value_or(blocks.max) % recordsize != 0) {
    return fmt::format("blockalign={} is not a multiple of the recordsize {}", access.block_align[index].value_or(1),
                       recordsize);
  }
  if (access.size == 0 || access.size % blocks.max != 0) {
    return fmt::format("size={} is not a multiple of bs={}", access.size, blocks.max);
  }
  if (access.offset % recordsize != 0 || access.sequence % recordsize != 0) {
    return fmt::format("offset={} or the gap of rw= is not a multiple of the recordsize {}", access.offset, recordsize);
  }
  return {};
}

std::string unsupported(const FioJob& job, const World& world) {
  const FioAccess& access = job.io.access;
  if (access.reads && !world.filesystem->reads()) {
    return fmt::format("reads are not simulated on filesystem {}", world.options.filesystem);
  }
  for (const FioDirection direction : {FioDirection::read, FioDirection::write}) {
    if (direction == FioDirection::read ? !access.reads : !access.writes) continue;
    std::string problem = unaligned(job, direction, world.options.zfs.recordsize);
    if (!problem.empty()) return problem;
  }
  if (job.asynchronous) return fmt::format("ioengine={} is not simulated; psync, sync, pvsync are", job.engine);
  if (access.time_based && job.runtime_ns == 0) return "time_based without runtime never ends";
  if (job.ramp_time_ns != 0 || job.start_delay_ns != 0) return "ramp_time and startdelay are not simulated";
  if (job.sync || job.fsync != 0 || job.fdatasync != 0 || job.end_fsync || job.fsync_on_close || job.stonewall) {
    return "sync, fsync, fdatasync, end_fsync, fsync_on_close and stonewall are not simulated";
  }
  return {};
}

}  // namespace

Status check_fio_job(const FioJob& job, const World& world, const std::string& name) {
  const std::string problem = unsupported(job, world);
  if (problem.empty()) return ok();
  return Error{ErrorKind::usage, fmt::format("{}: job {}: {}", name, job.name, problem)};
}

}  // namespace blkpress::sim
