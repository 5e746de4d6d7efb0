// The queue before a device against simulations that need no event queue.
#include "blkpress/sim/device_queue.hpp"

#include <algorithm>

#include "blkpress/random.hpp"
#include "device/hdd_geometry.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

constexpr std::uint64_t kBlocks = 200'000'000;  // of 4 KiB, on a disk of 1 TB

std::unique_ptr<DeviceModel> disk(const char* order, const char* depth) {
  auto device = make_device("hdd", {{"rpm", "7200"},
                                    {"capacity_gb", "1000"},
                                    {"outer_mb_s", "160"},
                                    {"inner_mb_s", "80"},
                                    {"zones", "16"},
                                    {"heads", "4"},
                                    {"seek_full_ms", "18"},
                                    {"seek_track_to_track_ms", "1"},
                                    {"seek_average_ms", "8.5"},
                                    {"head_switch_ms", "0.8"},
                                    {"queue_order", order},
                                    {"queue_depth", depth}});
  REQUIRE(device);
  return std::move(*device);
}

// A process that keeps one random read under way.
struct Reader {
  DeviceQueue* queue;
  Random* random;
  std::uint64_t* left;
  static void next(void* context) {
    auto& self = *static_cast<Reader*>(context);
    if (*self.left == 0) return;
    --*self.left;
    self.queue->submit({DeviceRequest::Kind::read, self.random->below(kBlocks) * 4096, 4096}, &next, context);
  }
};

Instant random_reads(DeviceModel& device, std::size_t readers, std::uint64_t requests) {
  Scheduler scheduler;
  DeviceQueue queue(scheduler, device);
  Random random(9);
  std::vector<Reader> all(readers, Reader{&queue, &random, &requests});
  for (Reader& reader : all) Reader::next(&reader);
  scheduler.run();
  CHECK(queue.pending() == 0);
  return scheduler.now();
}

// The same by hand: the arm goes upwards to the next of the requests that wait, or back to the lowest.
Instant by_hand(std::size_t readers, std::uint64_t requests) {
  const HddGeometry geometry({.capacity_bytes = 1e12,
                              .outer_bytes_per_second = 160e6,
                              .inner_bytes_per_second = 80e6,
                              .zones = 16,
                              .heads = 4,
                              .rotation = duration_of(60.0 / 7200),
                              .head_switch = microseconds(800),
                              .track_switch = microseconds(1000)});
  const SeekCurve seek(geometry.cylinders(), milliseconds(1), microseconds(8500), milliseconds(18));
  Random random(9);
  std::vector<std::uint64_t> waiting;
  HddPosition arm{};
  std::uint64_t behind = 0;
  Instant now{};
  std::uint64_t sent = 0;
  const auto send = [&] {
    if (sent++ < requests) waiting.push_back(random.below(kBlocks) * 8);
  };
  // The first one starts alone, before the others arrive.
  send();
  std::uint64_t sector = waiting[0];
  waiting.clear();
  for (std::size_t i = 1; i < readers; ++i) send();
  for (std::uint64_t served = 0; served < requests; ++served) {
    const HddPosition target = geometry.position(sector);
    const std::uint64_t distance = std::max(arm.cylinder, target.cylinder) - std::min(arm.cylinder, target.cylinder);
    const Duration head = target.head == arm.head ? Duration{} : microseconds(800);
    now = now + std::max(seek.time(distance), head);
    now = now + geometry.rotation_wait(target, now) + geometry.transfer(sector, 8);
    arm = geometry.position(sector + 7);
    behind = sector + 8;
    send();
    if (waiting.empty()) break;
    std::sort(waiting.begin(), waiting.end());
    auto next = std::lower_bound(waiting.begin(), waiting.end(), behind);
    if (next == waiting.end()) next = waiting.begin();
    sector = *next;
    waiting.erase(next);
  }
  return now;
}

Task one_after_another(Scheduler& scheduler, DeviceQueue& queue, std::vector<std::int64_t>& done) {
  co_await queue.serve({DeviceRequest::Kind::write, 0, 4096});
  done.push_back(scheduler.now().ns);
  co_await queue.serve({DeviceRequest::Kind::flush, 0, 0});
  done.push_back(scheduler.now().ns);
}

}  // namespace

TEST_CASE("device queue: a disk with a queue serves random reads as the same arm moved by hand") {
  const auto elevator = disk("elevator", "32");
  CHECK(random_reads(*elevator, 32, 5000) == by_hand(32, 5000));
}

TEST_CASE("device queue: in the order of the elevator a disk serves more random reads than in that of arrival") {
  const auto fifo = disk("fifo", "32");
  const auto elevator = disk("elevator", "32");
  const auto short_queue = disk("elevator", "4");
  const double one_by_one = in_seconds(random_reads(*fifo, 32, 5000) - Instant{});
  const double four = in_seconds(random_reads(*short_queue, 32, 5000) - Instant{});
  const double thirty_two = in_seconds(random_reads(*elevator, 32, 5000) - Instant{});
  CHECK(thirty_two < 0.9 * four);
  CHECK(four < 0.95 * one_by_one);
}

TEST_CASE("device queue: a device that serves as it comes gets each request at once, with one event for each") {
  auto lanes = make_device("lanes", {{"lanes", "2"}, {"latency_us", "100"}});
  REQUIRE(lanes);
  Scheduler scheduler;
  DeviceQueue queue(scheduler, **lanes);
  std::vector<std::int64_t> done;
  scheduler.spawn(one_after_another(scheduler, queue, done));
  scheduler.spawn(one_after_another(scheduler, queue, done));
  const std::uint64_t events = scheduler.run();
  CHECK(done == std::vector<std::int64_t>{100'000, 100'000, 100'000, 100'000});
  CHECK(events == 2 + 4);
  CHECK(queue.pending() == 0);
}

TEST_CASE("device queue: what waits beyond the device's queue is served too, each once") {
  const auto elevator = disk("elevator", "2");
  Scheduler scheduler;
  DeviceQueue queue(scheduler, *elevator);
  std::vector<int> served(100);
  for (std::size_t i = 0; i < served.size(); ++i) {
    queue.submit(
        {DeviceRequest::Kind::read, i * 997 % 100 * 4096000, 4096}, [](void* count) { ++*static_cast<int*>(count); },
        &served[i]);
  }
  CHECK(queue.pending() == 100);
  scheduler.run();
  CHECK(served == std::vector<int>(100, 1));
}
