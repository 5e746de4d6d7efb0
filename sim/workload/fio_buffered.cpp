// Without direct=1, io_submit(2) of a buffered write copies into the page cache and returns when that is done. The
// queue of an asynchronous engine is then fictitious: fio fills it with I/Os that are complete already.
#include "workload/fio_buffered.hpp"

#include <algorithm>

namespace blkpress::sim {

namespace {

// I/Os that share an event when no latency is measured.
constexpr std::size_t kBatch = 64;

}  // namespace

Task FioBufferedJob::run(FioProgress& progress, BlockDevices& devices) {
  const Instant begin = world_.scheduler.now();
  FioOffsets offsets(job_.io);
  while (take_batch(offsets, begin, progress)) {
    const Instant start = world_.scheduler.now();
    const auto pages_per_io = static_cast<std::int64_t>(pages_.size() / batch_.size());
    co_await world_.page_cache->write_pages(process_, file_, pages_, user_per_io_ / pages_per_io);
    count_batch(start);
  }
  world_.processor->block(process_.thread);
  if (job_.asynchronous && !done_.empty()) {
    statistics_.count_complete(done_.size());
    while (!done_.empty()) reap_oldest();
  }
  finish();
  devices = {world_.page_cache->stacked_device(), world_.page_cache->device()};
}

// The next I/Os, all of one size; false: the job has ended.
bool FioBufferedJob::take_batch(FioOffsets& offsets, Instant begin, FioProgress& progress) {
  pages_.clear();
  batch_.clear();
  const auto runtime = nanoseconds(static_cast<std::int64_t>(job_.runtime_ns));
  if (runtime.ns > 0 && world_.scheduler.now() - begin >= runtime) return false;
  const std::size_t most = job_.gtod_reduce ? kBatch : 1;
  while (batch_.size() < most) {
    const auto io = offsets.next();
    if (!io || !progress.go_on(world_.scheduler.now())) break;
    for (std::uint64_t at = io->offset; at < io->offset + io->length; at += kPageBytes) {
      pages_.push_back(at / kPageBytes);
    }
    batch_.push_back(io->length);
  }
  return !batch_.empty();
}

void FioBufferedJob::count_batch(Instant start) {
  const Instant now = world_.scheduler.now();
  for (const std::uint64_t bytes : batch_) {
    ++ios_;
    if (!job_.asynchronous) {
      statistics_.record(FioDirection::write, start, now, bytes);
      continue;
    }
    done_.push_back({start, now, bytes});
    statistics_.count_depth(done_.size());
    statistics_.count_submit(1);
    if (done_.size() < job_.iodepth) continue;
    statistics_.count_complete(1);
    reap_oldest();
  }
}

void FioBufferedJob::reap_oldest() {
  const Done done = done_.front();
  done_.pop_front();
  statistics_.record(FioDirection::write, done.returned, world_.scheduler.now(), done.bytes,
                     done.returned - done.submitted);
}

void FioBufferedJob::finish() {
  const Processor::Thread& thread = process_.thread;
  const Duration user = user_per_io_ * static_cast<std::int64_t>(ios_);
  statistics_.add_cpu(user, thread.cpu_time - std::min(user, thread.cpu_time));
  statistics_.add_context_switches(thread.voluntary_switches + thread.involuntary_switches);
  statistics_.finish(world_.scheduler.now());
}

}  // namespace blkpress::sim
