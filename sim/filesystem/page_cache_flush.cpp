// The flusher: when it writes dirty pages, in which I/Os, and what the block devices count meanwhile.
#include <algorithm>
#include <bit>

#include "blkpress/sim/page_cache.hpp"

namespace blkpress::sim {

namespace {

// Pages whose extents are still to be finished keep the flusher from going on: 4 MiB of them, the kernel's smallest
// chunk of write-back (fs/fs-writeback.c, MIN_WRITEBACK_PAGES).
constexpr std::uint64_t kMostUnfinished = 4 * kMiB / kPageBytes;

// Each file's own place on the device when pages are written in place; far enough apart for any file.
constexpr std::uint64_t kFileStride = kTiB;

}  // namespace

void PageCacheFilesystem::Gauge::begin(Instant now) {
  if (in_flight++ == 0) busy_since = now;
}

void PageCacheFilesystem::Gauge::end(Instant now, Instant submitted, std::uint64_t bytes) {
  ++counters.ios;
  counters.bytes += bytes;
  counters.waiting += now - submitted;
  if (--in_flight == 0) counters.busy += now - busy_since;
}

BlockDeviceCounters PageCacheFilesystem::Gauge::at(Instant now) const {
  BlockDeviceCounters counted = counters;
  if (in_flight > 0) counted.busy += now - busy_since;
  return counted;
}

BlockDeviceCounters PageCacheFilesystem::stacked_device() const { return stacked_.at(scheduler_.now()); }
BlockDeviceCounters PageCacheFilesystem::device() const { return device_gauge_.at(scheduler_.now()); }

// fs/fs-writeback.c, wb_check_background_flush: while there are more dirty pages than the background limit.
bool PageCacheFilesystem::flush_is_due() const {
  if (dirty_ == 0) return false;
  return flush_all_ || short_ || dirty_ * kPageBytes > parameters_.dirty_background;
}

void PageCacheFilesystem::wake_flusher() {
  if (!flushing_ && flush_is_due()) flush_wanted_.notify_one();
}

// What has been dirty for dirty_expire is written back whatever the limits say.
void PageCacheFilesystem::arm_expiry() {
  if (expiry_armed_) return;
  expiry_armed_ = true;
  scheduler_.call_at(scheduler_.now() + parameters_.dirty_expire, &expired, this);
}

void PageCacheFilesystem::expired(void* context) {
  auto& self = *static_cast<PageCacheFilesystem*>(context);
  self.expiry_armed_ = false;
  self.flush_all_ = self.dirty_ > 0;
  self.wake_flusher();
}

Task PageCacheFilesystem::flush_loop() {
  while (true) {
    while (!flush_is_due()) {
      flush_all_ = false;
      flushing_ = false;
      processor_.block(flush_thread_);
      co_await flush_wanted_.wait();
    }
    flushing_ = true;
    co_await flush_chunk();
  }
}

Task PageCacheFilesystem::flush_chunk() {
  std::uint64_t left = parameters_.flush_chunk / kPageBytes;
  while (left > 0 && dirty_ > 0) {
    while (unfinished_ >= kMostUnfinished) {
      processor_.block(flush_thread_);
      co_await finished_.wait();
    }
    const std::uint64_t pages = collect(std::min(left, next_bio_pages()));
    left -= pages;
    co_await processor_.run(flush_thread_, parameters_.flush_time * static_cast<std::int64_t>(pages));
    for (const Run& run : runs_) submit(run);
  }
}

// As many pages as the device mapper makes the next whole number of requests of.
std::uint64_t PageCacheFilesystem::next_bio_pages() {
  requests_owed_ += parameters_.requests_per_bio;
  const auto whole = static_cast<std::uint64_t>(requests_owed_);
  requests_owed_ -= static_cast<double>(whole);
  return whole * (parameters_.request_bytes / kPageBytes);
}

std::uint64_t PageCacheFilesystem::collect(std::uint64_t pages) {
  runs_.clear();
  while (files_[flushed_file_].dirty_pages == 0) flushed_file_ = (flushed_file_ + 1) % files_.size();
  FileState& file = files_[flushed_file_];
  const std::uint64_t wanted = std::min(pages, file.dirty_pages);
  std::uint64_t taken = 0;
  while (taken < wanted) {
    const std::uint64_t word = file.cursor / 64;
    if (word >= file.dirty.size()) {
      file.cursor = 0;
      continue;
    }
    const std::uint64_t ahead = file.dirty[word] >> (file.cursor % 64);
    if (ahead == 0) {
      file.cursor = (word + 1) * 64;
      continue;
    }
    file.cursor += static_cast<std::uint64_t>(std::countr_zero(ahead));
    file.dirty[word] &= ~(std::uint64_t{1} << (file.cursor % 64));
    add_to_runs(file.cursor++);
    ++taken;
  }
  file.dirty_pages -= taken;
  dirty_ -= taken;
  in_flight_pages_ += taken;
  if (parameters_.reservation) unfinished_ += taken;
  return taken;
}

void PageCacheFilesystem::add_to_runs(std::uint64_t page) {
  std::uint64_t offset = flushed_file_ * kFileStride + page * kPageBytes;
  if (parameters_.out_of_place) {
    offset = next_offset_;
    next_offset_ += kPageBytes;
  }
  if (runs_.empty() || runs_.back().offset + runs_.back().pages * kPageBytes != offset) runs_.push_back({offset, 0});
  ++runs_.back().pages;
}

PageCacheFilesystem::Bio& PageCacheFilesystem::new_bio() {
  if (idle_bios_.empty()) {
    bios_.push_back(std::make_unique<Bio>());
    idle_bios_.push_back(bios_.back().get());
  }
  Bio& bio = *idle_bios_.back();
  idle_bios_.pop_back();
  return bio;
}

void PageCacheFilesystem::submit(const Run& run) {
  const Instant now = scheduler_.now();
  const std::uint64_t bytes = run.pages * kPageBytes;
  const std::uint64_t requests = (bytes + parameters_.request_bytes - 1) / parameters_.request_bytes;
  Bio& bio = new_bio();
  bio = {this, now, run.pages, static_cast<std::uint32_t>(requests), bytes / requests};
  stacked_.begin(now);
  for (std::uint64_t done = 0; done < bytes; done += parameters_.request_bytes) {
    const std::uint64_t size = std::min(parameters_.request_bytes, bytes - done);
    device_gauge_.begin(now);
    device_.submit({DeviceRequest::Kind::write, run.offset + done, size}, &request_done, &bio);
  }
}

void PageCacheFilesystem::request_done(void* context) {
  auto& bio = *static_cast<Bio*>(context);
  PageCacheFilesystem& self = *bio.filesystem;
  const Instant now = self.scheduler_.now();
  self.device_gauge_.end(now, bio.submitted, bio.request_bytes);
  if (--bio.requests > 0) return;
  self.stacked_.end(now, bio.submitted, bio.pages * kPageBytes);
  self.idle_bios_.push_back(&bio);
  self.pages_done(bio.pages);
}

void PageCacheFilesystem::pages_done(std::uint64_t pages) {
  in_flight_pages_ -= pages;
  pages_written_ += pages;
  if (!parameters_.reservation) return;
  to_finish_ += pages;
  finish_wanted_.notify_one();
}

}  // namespace blkpress::sim
