// Filesystems behind the page cache, against closed formulas and as inequalities.
#include "blkpress/sim/page_cache.hpp"

#include <cmath>

#include "blkpress/random.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

// Serves one request after the other at a constant rate.
class ConstantRate final : public DeviceModel {
 public:
  explicit ConstantRate(double bytes_per_second) : bytes_per_second_(bytes_per_second) {}
  Instant complete_at(const DeviceRequest& request, Instant now) override {
    largest_ = std::max(largest_, request.bytes);
    free_ = std::max(free_, now) + duration_of(static_cast<double>(request.bytes) / bytes_per_second_);
    return free_;
  }
  [[nodiscard]] std::uint64_t largest() const { return largest_; }

 private:
  double bytes_per_second_;
  Instant free_{};
  std::uint64_t largest_ = 0;
};

class RawPages final : public RecordSource {
 public:
  StoredRecord record(std::uint64_t) override { return {}; }
  [[nodiscard]] std::uint32_t record_bytes() const override { return kPageBytes; }
  [[nodiscard]] std::uint64_t records() const override { return 1; }
};

PageCacheParameters plain() {
  PageCacheParameters parameters;
  parameters.dirty_background = kGiB;
  parameters.write_time = microseconds(3);
  return parameters;
}

// Writes pages in batches; what holds when the writer has ended is kept.
struct Bench {
  explicit Bench(const PageCacheParameters& parameters, double bytes_per_second = 1e9)
      : device(bytes_per_second), filesystem(scheduler, processor, queue, parameters) {}

  void run(const std::vector<std::vector<std::uint64_t>>& batches) {
    scheduler.spawn(write(batches));
    scheduler.run();
  }
  Task write(const std::vector<std::vector<std::uint64_t>>& batches) {
    const auto file = filesystem.create(pages);
    for (const auto& batch : batches) co_await filesystem.write_pages(process, file, batch, microseconds(1));
    processor.block(process.thread);
    writer_end = scheduler.now();
    dirty_at_end = filesystem.dirty_bytes();
    device_at_end = filesystem.device();
    stacked_at_end = filesystem.stacked_device();
  }
  [[nodiscard]] double writer_seconds() const { return in_seconds(writer_end - Instant{}); }

  Scheduler scheduler;
  Processor processor{scheduler, 4, milliseconds(3)};
  ConstantRate device;
  DeviceQueue queue{scheduler, device};
  PageCacheFilesystem filesystem;
  RawPages pages;
  Process process;
  Instant writer_end{};
  std::uint64_t dirty_at_end = 0;
  BlockDeviceCounters device_at_end;
  BlockDeviceCounters stacked_at_end;
};

std::vector<std::vector<std::uint64_t>> sequential(std::uint64_t pages) {
  std::vector<std::vector<std::uint64_t>> batches;
  for (std::uint64_t page = 0; page < pages; page += 64) {
    batches.emplace_back();
    for (std::uint64_t i = page; i < std::min(page + 64, pages); ++i) batches.back().push_back(i);
  }
  return batches;
}

std::vector<std::vector<std::uint64_t>> random_pages(std::uint64_t writes, std::uint64_t file_pages) {
  Random random(1, 1);
  std::vector<std::vector<std::uint64_t>> batches;
  for (std::uint64_t i = 0; i < writes; i += 64) {
    batches.emplace_back();
    for (std::uint64_t j = 0; j < 64; ++j) batches.back().push_back(random.below(file_pages));
  }
  return batches;
}

}  // namespace

TEST_CASE("page cache: random writes with replacement make 1 - exp(-n/N) of the pages dirty") {
  constexpr std::uint64_t kPages = 1 << 16;
  Bench bench(plain());
  bench.run(random_pages(kPages, kPages));
  const double share = static_cast<double>(bench.dirty_at_end) / (kPages * double{kPageBytes});
  CHECK(share == Approx(1 - std::exp(-1.0)).epsilon(0.01));
  CHECK(bench.device_at_end.ios == 0);  // below the limit nothing is written while the writer runs
}

TEST_CASE("page cache: a writer takes the CPU time of its writes as long as nothing is written back") {
  Bench bench(plain());
  bench.run(sequential(10'000));
  CHECK(bench.writer_end == Instant{} + microseconds(4 * 10'000));
  CHECK(bench.process.thread.voluntary_switches == 1);  // when it ended
}

TEST_CASE("page cache: every dirty page reaches the device, at the latest when it has been dirty for half a minute") {
  Bench bench(plain());
  bench.run(sequential(10'000));
  CHECK(bench.filesystem.dirty_bytes() == 0);
  CHECK(bench.filesystem.pages_written() == 10'000);
  CHECK(bench.filesystem.device().bytes == 10'000 * kPageBytes);
  CHECK(bench.scheduler.now() >= Instant{} + seconds(30));
  CHECK(bench.scheduler.now() < Instant{} + seconds(31));
}

TEST_CASE("page cache: the flusher starts above the limit, and stops below it") {
  PageCacheParameters parameters = plain();
  parameters.dirty_background = 64 * kMiB;
  parameters.flush_chunk = 8 * kMiB;
  Bench bench(parameters, 10e9);
  bench.run(sequential(256 * kMiB / kPageBytes));
  // What stays dirty is the limit, more or less one chunk and a batch.
  CHECK(bench.dirty_at_end <= 64 * kMiB + 64 * kPageBytes);
  CHECK(bench.dirty_at_end >= 64 * kMiB - 8 * kMiB);
  CHECK(bench.filesystem.most_dirty_bytes() >= 64 * kMiB);
}

TEST_CASE(
    "page cache: without flusher_wait the writer does not feel the flusher; with it, it does while there is one") {
  PageCacheParameters parameters = plain();
  parameters.dirty_background = 16 * kMiB;
  const auto writes = sequential(65'536);
  Bench free(parameters, 0.5e9);
  free.run(writes);
  CHECK(free.writer_seconds() == Approx(65'536 * 4e-6));
  parameters.flusher_wait = microseconds(1);
  Bench held(parameters, 0.5e9);
  held.run(writes);
  // 16 of 256 MiB are written before the flusher starts; after that it always has something to do.
  CHECK(held.writer_seconds() == Approx(65'536 * 4e-6 + 65'536 * 15 / 16 * 1e-6).epsilon(0.01));
}

TEST_CASE("page cache: a stacked device counts I/Os of several requests, the device below the requests") {
  PageCacheParameters parameters = plain();
  parameters.requests_per_bio = 3.25;
  parameters.flush_chunk = kGiB;
  Bench bench(parameters);
  bench.run(sequential(400 * 64));  // written back by the timer
  const BlockDeviceCounters requests = bench.filesystem.device();
  const BlockDeviceCounters ios = bench.filesystem.stacked_device();
  CHECK(static_cast<double>(requests.ios) / static_cast<double>(ios.ios) == Approx(3.25).epsilon(0.02));
  CHECK(requests.bytes == ios.bytes);
  CHECK(requests.busy == ios.busy);
  CHECK(bench.device.largest() == 256 * kKiB);
  // Busy all the time that the bytes take, and no longer.
  CHECK(in_seconds(requests.busy) == Approx(static_cast<double>(requests.bytes) / 1e9).epsilon(0.001));
  // Little: an I/O ends with its last request, so it waits longer than a request does on average.
  CHECK(ios.waiting.ns / static_cast<std::int64_t>(ios.ios) >
        requests.waiting.ns / static_cast<std::int64_t>(requests.ios));
}

TEST_CASE("page cache: written in place, only neighbours share a request") {
  PageCacheParameters parameters = plain();
  parameters.out_of_place = false;
  Bench bench(parameters);
  bench.run({{0, 1, 2, 10, 11, 20, 2}});
  CHECK(bench.filesystem.device().ios == 3);
  CHECK(bench.filesystem.device().bytes == 6 * kPageBytes);
}

TEST_CASE("page cache: a reservation lets writers run until it is used up, then as fast as extents are finished") {
  PageCacheParameters parameters = plain();
  parameters.reservation = PageReservation{.pages = 10'000,
                                           .contended_write_time = microseconds(3),
                                           .finish_time = microseconds(20),
                                           .finish_batch = 4.5,
                                           .commit_pause = milliseconds(50)};
  Bench bench(parameters);
  bench.run(sequential(50'000));
  // 10000 pages at 4 us, the commit, and 40000 more that each wait for one to be finished. The writer is ahead by what
  // is reserved.
  const double expected = 10'000 * 4e-6 + 0.05 + 40'000 * 20e-6;
  CHECK(bench.writer_seconds() == Approx(expected).epsilon(0.02));
  CHECK(bench.filesystem.commits() == 1);
  // It blocks once for each batch that is given back.
  CHECK(static_cast<double>(bench.process.thread.voluntary_switches) == Approx(40'000 / 4.5).epsilon(0.03));
  CHECK(bench.filesystem.dirty_bytes() == 0);
}

TEST_CASE("page cache: a page that is dirty already needs no reservation") {
  PageCacheParameters parameters = plain();
  parameters.reservation = PageReservation{.pages = 64,
                                           .contended_write_time = milliseconds(1),
                                           .finish_time = milliseconds(1),
                                           .finish_batch = 1,
                                           .commit_pause = seconds(1)};
  Bench bench(parameters);
  const std::vector<std::vector<std::uint64_t>> same(1000, sequential(64).front());
  bench.run(same);
  CHECK(bench.writer_end == Instant{} + microseconds(4 * 64 * 1000));
}
