// How a write gets into the open transaction group: the dirty limit and dmu_tx_delay.
#include <algorithm>

#include "blkpress/sim/zfs_filesystem.hpp"

namespace blkpress::sim {

// module/zfs/dmu_tx.c, dmu_tx_delay: scale * (dirty - delay_min) / (max - dirty), capped. In integers, as there.
Duration ZfsFilesystem::minimum_transaction_time() const {
  const std::uint64_t delay_min = parameters_.dirty_data_max / 100 * parameters_.delay_min_dirty_percent;
  if (!parameters_.write_delay || dirty_ <= delay_min || dirty_ >= parameters_.dirty_data_max) return {};
  const auto delay = static_cast<std::int64_t>(static_cast<std::uint64_t>(parameters_.delay_scale_ns) *
                                               (dirty_ - delay_min) / (parameters_.dirty_data_max - dirty_));
  return std::min(Duration{delay}, parameters_.delay_max);
}

Task ZfsFilesystem::throttle(Process& process, Instant start) {
  // module/zfs/dsl_pool.c, dmu_tx.c: at the limit a writer waits for a signal and looks again; whoever arrives while
  // there is room does not queue behind those that wait.
  bool waited = false;
  while (dirty_ >= parameters_.dirty_data_max) {
    processor_.block(process.thread);
    co_await space_.wait();
    waited = true;
  }
  const Duration least = minimum_transaction_time();
  if (least.ns > 0 && scheduler_.now() < start + least) {
    const Instant wakeup = std::max(start + least, last_wakeup_ + least);
    last_wakeup_ = wakeup;
    ++delayed_writes_;
    const auto slack = static_cast<std::uint64_t>(parameters_.timer_slack.ns);
    processor_.block(process.thread);
    co_await scheduler_.sleep_until(wakeup + nanoseconds(static_cast<std::int64_t>(random_.below(slack + 1))));
  } else if (waited) {
    ++delayed_writes_;
  }
}

Task ZfsFilesystem::write_record(Process& process, File file, std::uint64_t index) {
  BLKPRESS_ASSERT(file < files_.size());
  co_await throttle(process, scheduler_.now());
  co_await processor_.run(process.thread, parameters_.copy_time.draw(random_));
  add_dirty(files_[file], index);
}

// module/zfs/dmu_tx.c, dmu_tx_check_ioerr: what is written in part is read before the transaction begins.
Task ZfsFilesystem::write_part(Process& process, File file, std::uint64_t index, std::uint32_t bytes) {
  BLKPRESS_ASSERT(file < files_.size() && bytes > 0 && bytes <= files_[file].record_bytes);
  const std::vector<bool>& is_dirty = files_[file].is_dirty;
  const bool at_hand = index < is_dirty.size() && is_dirty[index];  // dirty records are held uncompressed
  if (bytes < files_[file].record_bytes && !at_hand) {
    co_await read_side_.fetch(process, files_[file].read_file, index);
  }
  co_await throttle(process, scheduler_.now());
  const Duration whole = parameters_.copy_time.draw(random_);
  co_await processor_.run(process.thread, whole * bytes / files_[file].record_bytes);
  add_dirty(files_[file], index);
}

void ZfsFilesystem::add_dirty(FileState& file, std::uint64_t index) {
  read_side_.written(file.read_file, index);
  if (file.is_dirty.size() <= index) file.is_dirty.resize(std::max(index + 1, file.source->records()));
  if (file.is_dirty[index]) return;
  file.is_dirty[index] = true;
  if (dirty_open_ == 0) group_opened_ = scheduler_.now();
  file.dirty.push_back(index);
  dirty_ += file.record_bytes;
  dirty_open_ += file.record_bytes;
  if (dirty_ < parameters_.dirty_data_max) space_.notify_one();
  if (sync_is_due()) {
    sync_wanted_.notify_one();
  } else if (!timeout_armed_) {
    arm_timeout();
  }
}

void ZfsFilesystem::remove_dirty(std::uint64_t bytes) {
  dirty_ -= bytes;
  if (dirty_ < parameters_.dirty_data_max) space_.notify_one();
}

}  // namespace blkpress::sim
