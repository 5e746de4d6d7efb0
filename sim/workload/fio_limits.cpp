#include "workload/fio_limits.hpp"

#include <fmt/format.h>

#include "blkpress/bytes.hpp"

namespace blkpress::sim {

namespace {

// Whole pages only.
std::string unaligned(const FioJob& job, FioDirection direction, std::uint64_t recordsize, const std::string& record) {
  const FioAccess& access = job.io.access;
  const auto index = static_cast<std::size_t>(direction);
  const FioBlockSizes& blocks = access.block_sizes[index];
  if (blocks.min != blocks.max || !blocks.split.empty()) return "only one block size is simulated";
  if (blocks.max % recordsize != 0) {
    return fmt::format("bs={} is not a multiple of the {}", blocks.max, record);
  }
  if (access.bs_unaligned || access.block_align[index].value_or(blocks.max) % recordsize != 0) {
    return fmt::format("blockalign={} is not a multiple of the {}", access.block_align[index].value_or(1), record);
  }
  if (access.size == 0 || access.size % blocks.max != 0) {
    return fmt::format("size={} is not a multiple of bs={}", access.size, blocks.max);
  }
  if (access.offset % recordsize != 0 || access.sequence % recordsize != 0) {
    return fmt::format("offset={} or the gap of rw= is not a multiple of the {}", access.offset, record);
  }
  return {};
}

std::string unsupported(const FioJob& job, const World& world) {
  const FioAccess& access = job.io.access;
  if (access.reads && !world.filesystem->reads()) {
    return fmt::format("reads are not simulated on filesystem {}", world.options.filesystem);
  }
  if (world.page_cache != nullptr) {
    if (job.direct) return fmt::format("direct=1 is not simulated on filesystem {}", world.options.filesystem);
    const std::string compression = fio_compression(job, world).refused;
    if (!compression.empty()) return compression;
  }
  if (world.page_cache == nullptr && (world.options.zfs.vdev.parity > 0 || world.options.zfs.copies > 1)) {
    return fmt::format("vdev={} with copies={} is not simulated: there is one device, and one copy of each record",
                       world.options.zfs.vdev.to_string(), world.options.zfs.copies);
  }
  if (access.size == 0) return "size=0 leaves nothing to do";
  for (const FioDirection direction : {FioDirection::read, FioDirection::write}) {
    if (direction == FioDirection::read ? !access.reads : !access.writes) continue;
    const FioBlockSizes& blocks = access.block_sizes[static_cast<std::size_t>(direction)];
    if (blocks.max > 64 * kMiB) return fmt::format("bs={} is more than 64 MiB", blocks.max);
    if (world.filesystem->parts()) continue;
    std::string problem =
        unaligned(job, direction, world.record_bytes(), fmt::format("page of {} bytes", world.record_bytes()));
    if (!problem.empty()) return problem;
  }
  if (access.time_based && job.runtime_ns == 0) return "time_based without runtime never ends";
  if (job.ramp_time_ns != 0 || job.start_delay_ns != 0) return "ramp_time and startdelay are not simulated";
  if (job.sync || job.fsync != 0 || job.fdatasync != 0 || job.end_fsync || job.fsync_on_close ||
      (job.stonewall && job.group != 0)) {
    return "sync, fsync, fdatasync, end_fsync, fsync_on_close and stonewall are not simulated";
  }
  return {};
}

}  // namespace

FioCompression fio_compression(const FioJob& job, const World& world) {
  const BtrfsOptions& btrfs = world.options.btrfs;
  const F2fsOptions& f2fs = world.options.f2fs;
  const bool reserved = job.fallocate == FioFallocate::posix || job.fallocate == FioFallocate::keep;
  if (world.options.filesystem == "btrfs") {
    if (!btrfs.compresses()) return {.state = "Btrfs without compression"};
    if (reserved) {
      return {.state = fmt::format("Btrfs mounted with compress={}, which compresses nothing here: fio reserves the "
                                   "file's space first (fallocate=native), and what is written there is never "
                                   "compressed",
                                   btrfs.compression())};
    }
    return {.refused = fmt::format("compress={} would compress what is written without fallocate; the time of that is "
                                   "not simulated on filesystem btrfs",
                                   btrfs.compression())};
  }
  if (f2fs.compresses()) {
    return {.refused = fmt::format("compress_extension=* would compress with {}; the time of that is not simulated on "
                                   "filesystem f2fs",
                                   f2fs.compression())};
  }
  return {.state = fmt::format("F2FS with {} only named: no file is flagged for compression (compress_extension, "
                               "chattr +c), so nothing is compressed",
                               f2fs.compression())};
}

std::vector<std::string> fio_notes(const FioJob& job, const World& world) {
  std::vector<std::string> notes;
  if (world.page_cache != nullptr) return notes;
  if (job.asynchronous && job.iodepth > 1) {
    notes.push_back(fmt::format(
        "zfs does each I/O within io_submit(2): the queue of {} is full of I/Os that are complete", job.iodepth));
  }
  const ZfsVersion version = world.options.zfs.version;
  if (job.direct && !version.before_feature_flags() && version >= ZfsVersion::release(2, 3)) {
    notes.emplace_back("direct=1 is taken as buffered I/O: the direct I/O of OpenZFS 2.3 and later is not simulated");
  }
  return notes;
}

Status check_fio_job(const FioJob& job, const World& world, const std::string& name) {
  const std::string problem = unsupported(job, world);
  if (problem.empty()) return ok();
  return Error{ErrorKind::usage, fmt::format("{}: job {}: {}", name, job.name, problem)};
}

}  // namespace blkpress::sim
