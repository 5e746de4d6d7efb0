// Transaction groups: when one closes, and what its sync does.
#include "blkpress/sim/zfs_filesystem.hpp"

#include <algorithm>

#include "blkpress/sim/distribution.hpp"

namespace blkpress::sim {

ZfsFilesystem::ZfsFilesystem(Scheduler& scheduler, Processor& processor, DeviceQueue& device,
                             const ZfsWriteParameters& parameters, const ZfsReadParameters& read, Random random,
                             Random read_random)
    : scheduler_(scheduler),
      processor_(processor),
      device_(device),
      parameters_(parameters),
      random_(random),
      read_side_(scheduler, processor, device, read, read_random),
      space_(scheduler),
      sync_wanted_(scheduler),
      group_synced_(scheduler),
      group_stored_(scheduler),
      compress_wanted_(scheduler) {
  BLKPRESS_ASSERT(parameters.dirty_data_max >= 2 * parameters.recordsize && parameters.compress_threads >= 1);
  for (std::uint32_t i = 0; i < parameters.compress_threads; ++i) {
    compress_threads_.push_back(std::make_unique<Processor::Thread>());
    compress_threads_.back()->urgent = true;
    scheduler.spawn(compress_loop(*compress_threads_.back()));
  }
  scheduler.spawn(sync_loop());
}

FilesystemModel::File ZfsFilesystem::create(RecordSource& source) {
  files_.push_back({&source, source.record_bytes()});
  files_.back().read_file = read_side_.add_empty_file(source);
  return files_.size() - 1;
}

FilesystemModel::File ZfsFilesystem::open(RecordSource& source, std::optional<std::uint64_t> resident) {
  files_.push_back({&source, source.record_bytes()});
  files_.back().read_file = read_side_.add_file(source, resident);
  return files_.size() - 1;
}

Task ZfsFilesystem::read_record(Process& process, File file, std::uint64_t index) {
  BLKPRESS_ASSERT(file < files_.size());
  return read_side_.read_record(process, files_[file].read_file, index, files_[file].record_bytes);
}

Task ZfsFilesystem::read_part(Process& process, File file, std::uint64_t index, std::uint32_t bytes) {
  BLKPRESS_ASSERT(file < files_.size());
  return read_side_.read_record(process, files_[file].read_file, index, bytes);
}

// module/zfs/txg.c, txg_wait_synced.
Task ZfsFilesystem::sync(Process& process) {
  const std::uint64_t wanted = groups_closed_ + (dirty_open_ > 0 ? 1 : 0);
  while (groups_synced_ < wanted) {
    sync_requested_ = true;
    sync_wanted_.notify_one();
    processor_.block(process.thread);
    co_await group_synced_.wait();
  }
}

// module/zfs/txg.c: a group closes zfs_txg_timeout after its first write, or when its dirty data reach the threshold.
bool ZfsFilesystem::sync_is_due() const {
  if (dirty_open_ == 0) return false;
  return sync_requested_ || dirty_open_ >= parameters_.dirty_data_max / 100 * parameters_.dirty_data_sync_percent ||
         scheduler_.now() - group_opened_ >= parameters_.txg_timeout;
}

void ZfsFilesystem::arm_timeout() {
  timeout_armed_ = true;
  scheduler_.call_at(group_opened_ + parameters_.txg_timeout, &timeout, this);
}

void ZfsFilesystem::timeout(void* context) {
  auto& self = *static_cast<ZfsFilesystem*>(context);
  self.timeout_armed_ = false;
  if (self.sync_is_due()) {
    self.sync_wanted_.notify_one();
  } else if (self.dirty_open_ > 0) {
    self.arm_timeout();
  }
}

Task ZfsFilesystem::sync_loop() {
  while (true) {
    while (!sync_is_due()) co_await sync_wanted_.wait();
    dirty_open_ = 0;
    sync_requested_ = false;
    ++groups_closed_;
    // Four standard deviations are as far as it goes, so that time never runs backwards.
    const double deviation = std::clamp(draw_normal(random_), -4.0, 4.0);
    slowness_ppm_ = 1'000'000 + static_cast<std::int64_t>(parameters_.speed_variation * 1e6 * deviation);
    // dmu_objset_sync: file by file, each file's records in order.
    for (FileState& file : files_) {
      for (const std::uint64_t index : file.dirty) to_compress_.push_back({file.source, index, file.record_bytes});
      for (const std::uint64_t index : file.dirty) file.is_dirty[index] = false;
      syncing_records_ += file.dirty.size();
      file.dirty.clear();
    }
    compress_wanted_.notify_all();
    syncing_bytes_ = 0;
    while (syncing_records_ > 0) co_await group_stored_.wait();
    co_await write_metadata(syncing_bytes_);
    ++groups_synced_;
    group_synced_.notify_all();
  }
}

// Indirect blocks, space maps, the pool's own objects and the labels, in several passes that wait for each other.
Task ZfsFilesystem::write_metadata(std::uint64_t data_bytes) {
  const Instant end = scheduler_.now() + parameters_.metadata_phase;
  const auto bytes = static_cast<std::uint64_t>(static_cast<double>(data_bytes) * parameters_.metadata_share);
  if (bytes > 0) {
    const DeviceRequest request{DeviceRequest::Kind::write, next_offset_, round_up(bytes, 4096)};
    next_offset_ += request.bytes;
    co_await device_.serve(request);
    if (scheduler_.now() >= end) co_return;
  }
  co_await scheduler_.sleep_until(end);
}

Task ZfsFilesystem::compress_loop(Processor::Thread& thread) {
  while (true) {
    while (to_compress_.empty()) {
      processor_.block(thread);
      co_await compress_wanted_.wait();
    }
    const DirtyRecord next = to_compress_.front();
    to_compress_.pop_front();
    const StoredRecord record = next.source->record(next.index);
    const Duration cpu = record.compress_time * slowness_ppm_ / 1'000'000;
    if (cpu.ns > 0) co_await processor_.run(thread, cpu);
    compress_time_ += cpu;
    if (record.outcome.psize == 0) {  // a hole, or embedded: nothing to write
      records_done(1, next.record_bytes);
      continue;
    }
    queue_.push_back({next_offset_, record.outcome.psize, next.record_bytes});
    next_offset_ += record.outcome.asize;
    issue_writes();
  }
}

void ZfsFilesystem::records_done(std::uint32_t records, std::uint64_t dirty_bytes) {
  remove_dirty(dirty_bytes);
  syncing_records_ -= records;
  if (syncing_records_ == 0) group_stored_.notify_one();
}

}  // namespace blkpress::sim
