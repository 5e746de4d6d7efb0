// The hard disk against closed formulas.
#include <algorithm>

#include "blkpress/bytes.hpp"
#include "blkpress/random.hpp"
#include "blkpress/sim/device.hpp"
#include "device/hdd_geometry.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

const std::vector<DeviceSetting> kPlain = {
    {"rpm", "7200"},        {"capacity_gb", "1000"},  {"outer_mb_s", "160"},           {"inner_mb_s", "80"},
    {"zones", "16"},        {"heads", "4"},           {"seek_track_to_track_ms", "1"}, {"seek_average_ms", "8.5"},
    {"seek_full_ms", "18"}, {"head_switch_ms", "0.8"}};

HddGeometryOptions plain_geometry() {
  return {.capacity_bytes = 1e12,
          .outer_bytes_per_second = 160e6,
          .inner_bytes_per_second = 80e6,
          .zones = 16,
          .heads = 4,
          .rotation = duration_of(60.0 / 7200),
          .head_switch = microseconds(800),
          .track_switch = microseconds(1000)};
}

std::unique_ptr<DeviceModel> plain_disk(std::vector<DeviceSetting> more = {}) {
  std::vector<DeviceSetting> settings = kPlain;
  settings.insert(settings.end(), more.begin(), more.end());
  auto device = make_device("hdd", settings);
  REQUIRE(device);
  return std::move(*device);
}

}  // namespace

TEST_CASE("hdd: the seek curve passes through track to track, average at a third, and full stroke") {
  const SeekCurve seek(30001, milliseconds(1), microseconds(8500), milliseconds(18));
  CHECK(seek.time(0) == Duration{});
  CHECK(seek.time(1) == milliseconds(1));
  CHECK(seek.time(10000) == microseconds(8500));
  CHECK(seek.time(30000) == milliseconds(18));
  Duration last{};
  int falls = 0;
  for (std::uint64_t d = 0; d <= 30000; ++d) {
    if (seek.time(d) < last) ++falls;
    last = seek.time(d);
  }
  CHECK(falls == 0);
}

TEST_CASE("hdd: through three points the seek curve comes close to a measured one") {
  // Quantum Atlas 10K as measured for DiskSim; the three points are its first, that at a third of the stroke (between
  // 2400 and 5500 cylinders), and its last.
  const SeekCurve seek(10042, microseconds(1245), microseconds(5610), microseconds(10830));
  CHECK(in_seconds(seek.time(2400)) == Approx(4.891e-3).epsilon(0.02));
  CHECK(in_seconds(seek.time(5500)) == Approx(7.257e-3).epsilon(0.02));
  // Short seeks are the weak side of a pure square root: settling takes longer.
  CHECK(in_seconds(seek.time(225)) == Approx(2.785e-3).epsilon(0.20));
  CHECK(in_seconds(seek.time(225)) < 2.785e-3);
}

TEST_CASE("hdd: random 4 KiB reads one at a time take a mean seek, half a turn and the transfer") {
  const HddGeometry geometry(plain_geometry());
  const SeekCurve seek(geometry.cylinders(), milliseconds(1), microseconds(8500), milliseconds(18));
  const auto disk = plain_disk();
  Random random(1);
  Instant now{};
  double seeks = 0;
  double transfers = 0;
  std::uint64_t cylinder = 0;
  constexpr int kRequests = 200'000;
  for (int i = 0; i < kRequests; ++i) {
    const std::uint64_t block = random.below(geometry.sectors() / 8 - 1);
    now = disk->complete_at({DeviceRequest::Kind::read, block * 4096, 4096}, now);
    const std::uint64_t target = geometry.position(block * 8).cylinder;
    seeks += in_seconds(seek.time(target > cylinder ? target - cylinder : cylinder - target));
    transfers += in_seconds(geometry.transfer(block * 8, 8));
    cylinder = geometry.position(block * 8 + 7).cylinder;
  }
  const double expected = (seeks + transfers) / kRequests + 60.0 / 7200 / 2;
  CHECK(in_seconds(now - Instant{}) / kRequests == Approx(expected).epsilon(0.01));
}

TEST_CASE("hdd: sequential rates by zone are those of its tracks and switches") {
  const HddGeometry geometry(plain_geometry());
  for (std::uint32_t zone : {0U, 7U, 15U}) {
    const auto disk = plain_disk({{"read_ahead_kib", "1024"}});
    std::uint64_t offset = geometry.zone_first_sector(zone) * 512;
    const std::uint64_t piece = 1 << 20;
    Instant now = disk->complete_at({DeviceRequest::Kind::read, offset, piece}, Instant{});
    const Instant start = now;
    for (int i = 0; i < 1000; ++i) {
      offset += piece;
      now = disk->complete_at({DeviceRequest::Kind::read, offset, piece}, now);
    }
    const double rate = 1000.0 * static_cast<double>(piece) / in_seconds(now - start);
    CHECK(rate == Approx(geometry.sustained_rate(zone)).epsilon(0.005));
    // From the published rates: the zone's own, less the switches in a cylinder's time.
    const double medium = (160e6 - zone / 15.0 * 80e6);
    const double turn = 60.0 / 7200;
    CHECK(rate == Approx(medium * 4 * turn / (4 * turn + 3 * 0.0008 + 0.001)).epsilon(0.005));
  }
}

TEST_CASE("hdd: without read-ahead, each sequential read that comes late waits for a turn") {
  const auto disk = plain_disk();
  Instant now{};
  for (int i = 0; i < 100; ++i) {
    now = disk->complete_at({DeviceRequest::Kind::read, static_cast<std::uint64_t>(i) * 65536, 65536},
                            now + microseconds(100));
  }
  // The sector has passed by when the next read arrives: a whole turn until it is back, then the transfer.
  CHECK(in_seconds(now - Instant{}) / 100 == Approx(60.0 / 7200 + 65536 / 160e6).epsilon(0.01));
}

TEST_CASE("hdd: cached writes complete at the speed of the interface until the cache is full") {
  const auto disk = plain_disk({{"write_cache_kib", "16384"}, {"interface_mb_s", "300"}});
  Random random(2);
  int fast = 0;
  for (int i = 0; i < 4096; ++i) {
    const Instant done = disk->complete_at({DeviceRequest::Kind::write, random.below(1 << 27) * 4096, 4096}, Instant{});
    if (done < Instant{1'000'000}) ++fast;
  }
  CHECK(fast == 4096);
  const Instant full = disk->complete_at({DeviceRequest::Kind::write, 0, 4096}, Instant{});
  CHECK(full > Instant{1'000'000});
  // 4096 random writes in order of the elevator: less than one by one (some 14 ms), more than a turn in four.
  const Instant flushed = disk->complete_at({DeviceRequest::Kind::flush, 0, 0}, Instant{});
  CHECK(in_seconds(flushed - Instant{}) < 4096 * 0.012);
  CHECK(in_seconds(flushed - Instant{}) > 4096 * 0.003);
}

TEST_CASE("hdd: sequential cached writes reach the rate of the zone") {
  const HddGeometry geometry(plain_geometry());
  const auto disk = plain_disk({{"write_cache_kib", "16384"}});
  Instant now{};
  for (std::uint64_t i = 0; i < 4000; ++i) now = disk->complete_at({DeviceRequest::Kind::write, i << 18, 1 << 18}, now);
  now = disk->complete_at({DeviceRequest::Kind::flush, 0, 0}, now);
  CHECK(4000.0 * (1 << 18) / in_seconds(now - Instant{}) == Approx(geometry.sustained_rate(0)).epsilon(0.01));
}

TEST_CASE("hdd: a deeper queue in elevator order serves more random reads") {
  const auto fifo = plain_disk();
  const auto elevator = plain_disk({{"queue_order", "elevator"}, {"queue_depth", "32"}});
  CHECK(fifo->queue_depth() == 1);
  CHECK(elevator->queue_depth() == 32);
  const auto run = [](DeviceModel& disk, std::size_t depth) {
    Random random(3);
    std::vector<DeviceRequest> waiting;
    Instant now{};
    for (int i = 0; i < 5000; ++i) {
      while (waiting.size() < depth) waiting.push_back({DeviceRequest::Kind::read, random.below(1 << 27) * 4096, 4096});
      const std::size_t next = disk.choose(waiting);
      now = disk.complete_at(waiting[next], now);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return in_seconds(now - Instant{});
  };
  const double one = run(*fifo, 1);
  const double deep = run(*elevator, 32);
  CHECK(deep < 0.7 * one);
  // Never below half a turn and the track-to-track seek.
  CHECK(deep > 5000 * (60.0 / 7200 / 2));
}

TEST_CASE("hdd: seek times that do not grow are refused") {
  std::vector<DeviceSetting> settings = kPlain;
  settings.push_back({"seek_full_ms", "5"});
  CHECK(make_device("hdd", settings).error().message ==
        "device hdd: the seek times must grow from track to track over average to full stroke");
}
