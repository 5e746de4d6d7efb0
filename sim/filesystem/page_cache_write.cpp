// How a write gets into the page cache: its page becomes dirty, space is reserved for it, the flusher is told.
#include <algorithm>

#include "blkpress/sim/page_cache.hpp"

namespace blkpress::sim {

PageCacheFilesystem::PageCacheFilesystem(Scheduler& scheduler, Processor& processor, DeviceQueue& device,
                                         const PageCacheParameters& parameters)
    : scheduler_(scheduler),
      processor_(processor),
      device_(device),
      parameters_(parameters),
      flush_wanted_(scheduler),
      reservation_free_(scheduler),
      finish_wanted_(scheduler),
      finished_(scheduler) {
  BLKPRESS_ASSERT(parameters.request_bytes >= kPageBytes && parameters.requests_per_bio >= 1 &&
                  parameters.flush_chunk >= kPageBytes);
  scheduler.spawn(flush_loop());
  if (parameters.reservation) {
    BLKPRESS_ASSERT(parameters.reservation->pages >= 1 && parameters.reservation->finish_batch >= 1);
    scheduler.spawn(finish_loop());
  }
}

FilesystemModel::File PageCacheFilesystem::create(RecordSource& source) {
  BLKPRESS_ASSERT(source.record_bytes() == kPageBytes);
  files_.emplace_back();
  return files_.size() - 1;
}

std::uint64_t PageCacheFilesystem::dirty_bytes() const { return (dirty_ + in_flight_pages_) * kPageBytes; }

bool PageCacheFilesystem::nothing_to_reserve() const {
  return parameters_.reservation && (committing_ || reserved_ >= parameters_.reservation->pages);
}

// False: the page is clean and there is no space to reserve for it. A page that is dirty already needs none.
bool PageCacheFilesystem::make_dirty(FileState& file, std::uint64_t page) {
  const std::uint64_t word = page / 64;
  const std::uint64_t bit = std::uint64_t{1} << (page % 64);
  if (word >= file.dirty.size()) file.dirty.resize(word + 1);
  if ((file.dirty[word] & bit) != 0) return true;
  if (nothing_to_reserve()) return false;
  file.dirty[word] |= bit;
  ++file.dirty_pages;
  most_dirty_ = std::max(most_dirty_, ++dirty_);
  if (parameters_.reservation) ++reserved_;
  return true;
}

Task PageCacheFilesystem::write_record(Process& process, File file, std::uint64_t index) {
  const std::vector<std::uint64_t> page(1, index);
  co_await write_pages(process, file, page, {});
}

Task PageCacheFilesystem::write_pages(Process& process, File file, const std::vector<std::uint64_t>& pages,
                                      Duration user_per_page) {
  BLKPRESS_ASSERT(file < files_.size());
  std::size_t done = 0;
  while (done < pages.size()) {
    std::size_t next = done;
    while (next < pages.size() && make_dirty(files_[file], pages[next])) ++next;
    if (next == done) {
      co_await wait_for_reservation(process);
      continue;
    }
    const auto written = static_cast<std::int64_t>(next - done);
    done = next;
    arm_expiry();
    wake_flusher();
    const Duration kernel = short_ ? parameters_.reservation->contended_write_time : parameters_.write_time;
    co_await processor_.run(process.thread, (user_per_page + kernel) * written);
    co_await wait_for_flusher(process, static_cast<std::uint64_t>(written));
  }
}

// Writers meet the flusher at locks of pages and of the filesystem. Each of these waits is too short to be an event of
// its own: what they add up to is waited at once.
Task PageCacheFilesystem::wait_for_flusher(Process& process, std::uint64_t pages) {
  if (!writing_back()) co_return;
  wait_owed_ += parameters_.flusher_wait * static_cast<std::int64_t>(pages);
  if (wait_owed_.ns == 0 || wait_owed_ < parameters_.wait_at_once) co_return;
  const Duration wait = wait_owed_;
  wait_owed_ = {};
  processor_.block(process.thread);
  co_await scheduler_.sleep_for(wait);
}

// Btrfs (fs/btrfs/space-info.c): who finds no space takes a ticket and waits while dirty pages are written and their
// extents finished; when that does not help at once, the transaction is committed.
Task PageCacheFilesystem::wait_for_reservation(Process& process) {
  if (!short_) {
    short_ = true;
    const Duration interval = parameters_.reservation->commit_interval;
    if (!committing_ && (!last_commit_ || scheduler_.now() - *last_commit_ >= interval)) scheduler_.spawn(commit());
  }
  wake_flusher();
  processor_.block(process.thread);
  co_await reservation_free_.wait();
}

Task PageCacheFilesystem::commit() {
  committing_ = true;
  co_await scheduler_.sleep_for(parameters_.reservation->commit_pause);
  committing_ = false;
  last_commit_ = scheduler_.now();
  ++commits_;
  finish_wanted_.notify_one();
  reservation_free_.notify_all();
}

// The kernel's worker that enters written extents into the trees, one after the other.
Task PageCacheFilesystem::finish_loop() {
  const PageReservation& reservation = *parameters_.reservation;
  while (true) {
    while (to_finish_ == 0 || committing_) {
      processor_.block(finish_thread_);
      co_await finish_wanted_.wait();
    }
    batch_owed_ += reservation.finish_batch;
    const auto whole = static_cast<std::uint64_t>(batch_owed_);
    batch_owed_ -= static_cast<double>(whole);
    const std::uint64_t pages = std::min(whole, to_finish_);
    co_await processor_.run(finish_thread_, reservation.finish_time * static_cast<std::int64_t>(pages));
    to_finish_ -= pages;
    give_back(pages);
  }
}

void PageCacheFilesystem::give_back(std::uint64_t pages) {
  reserved_ -= pages;
  unfinished_ -= pages;
  if (reserved_ <= parameters_.reservation->pages / 2) short_ = false;
  reservation_free_.notify_all();
  finished_.notify_one();
}

}  // namespace blkpress::sim
