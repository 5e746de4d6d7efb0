// The SSD against closed formulas: what limits it, resource by resource.
#include <algorithm>
#include <queue>

#include "blkpress/bytes.hpp"
#include "blkpress/random.hpp"
#include "blkpress/sim/device.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

// 4 channels of 4 dies, units of two 16 KiB pages; only flash limits it unless a test says otherwise.
const std::vector<DeviceSetting> kPlain = {{"channels", "4"},
                                           {"dies_per_channel", "4"},
                                           {"planes", "2"},
                                           {"page_kib", "16"},
                                           {"pages_per_block", "64"},
                                           {"page_read_us", "60"},
                                           {"page_program_us", "800"},
                                           {"block_erase_us", "3200"},
                                           {"channel_mb_s", "400"},
                                           {"interface_mb_s", "100000"},
                                           {"capacity_gb", "1"},
                                           {"over_provisioning", "0.28"},
                                           {"write_buffer_kib", "8192"}};

std::unique_ptr<DeviceModel> drive(const std::vector<DeviceSetting>& more = {}) {
  std::vector<DeviceSetting> settings = kPlain;
  settings.insert(settings.end(), more.begin(), more.end());
  auto device = make_device("ssd", settings);
  INFO((device ? std::string() : device.error().message));
  REQUIRE(device);
  return std::move(*device);
}

constexpr std::uint64_t kUnit = 32 * kKiB;
constexpr int kDies = 16;

// Keeps `depth` requests under way: the next is sent when the earliest is complete. Returns seconds from `start`.
template <class Offset>
double closed_loop(DeviceModel& model, DeviceRequest::Kind kind, std::uint64_t requests, std::uint64_t bytes,
                   std::size_t depth, Offset offset, Instant start = {}) {
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> under_way;
  for (std::size_t i = 0; i < depth; ++i) under_way.push(start.ns);
  std::int64_t last = start.ns;
  for (std::uint64_t i = 0; i < requests; ++i) {
    const Instant now{under_way.top()};
    under_way.pop();
    const Instant done = model.complete_at({kind, offset(i), bytes}, now);
    under_way.push(done.ns);
    last = std::max(last, done.ns);
  }
  return static_cast<double>(last - start.ns) * 1e-9;
}

constexpr auto kRead = DeviceRequest::Kind::read;
constexpr auto kWrite = DeviceRequest::Kind::write;

}  // namespace

TEST_CASE("ssd: a read alone takes controller, flash, channel and link") {
  const auto ssd = drive({{"command_us", "2"}, {"read_overhead_us", "8"}, {"interface_mb_s", "500"}});
  // 4 KiB at 400 MB/s: 10.24 us, at 500 MB/s: 8.192 us.
  CHECK(ssd->complete_at({kRead, 0, 4096}, Instant{1000}) == Instant{1000 + 2000 + 8000 + 60'000 + 10'240 + 8192});
}

TEST_CASE("ssd: reads of different dies go on together, as many as there are dies") {
  for (const std::size_t depth : {1U, 4U, 16U, 64U}) {
    const auto ssd = drive({{"channel_mb_s", "100000"}});
    const auto next_die = [](std::uint64_t i) { return i % 1000 * kUnit; };
    const double seconds = closed_loop(*ssd, kRead, 32'000, 4096, depth, next_die);
    const double at_once = static_cast<double>(std::min<std::size_t>(depth, kDies));
    CAPTURE(depth);
    CHECK(32'000 / seconds == Approx(at_once / 60e-6).epsilon(0.01));
  }
}

TEST_CASE("ssd: random reads meet on a die now and then, as in a closed network of queues") {
  for (const std::size_t depth : {4U, 16U, 64U}) {
    const auto ssd = drive({{"channel_mb_s", "100000"}});
    Random random(3);
    const double seconds =
        closed_loop(*ssd, kRead, 100'000, 4096, depth, [&](std::uint64_t) { return random.below(240'000) * 4096; });
    // With service times that vary like an exponential it would be N / (N + D - 1) of all dies; with equal ones it is
    // more, and never more than the share of dies that N random requests hit.
    const auto n = static_cast<double>(depth);
    CAPTURE(depth);
    CHECK(100'000 / seconds > n / (n + kDies - 1) * kDies / 60e-6);
    CHECK(100'000 / seconds < std::min(n, double{kDies}) / 60e-6);
  }
}

TEST_CASE("ssd: small random reads are limited by the controller when it is slow") {
  const auto ssd = drive({{"command_us", "10"}});
  const double seconds = closed_loop(*ssd, kRead, 50'000, 4096, 64, [](std::uint64_t i) { return i % 1000 * kUnit; });
  CHECK(50'000 / seconds == Approx(100'000).epsilon(0.01));
}

TEST_CASE("ssd: sequential reads run at the slowest of link, channels and dies") {
  const auto in_order = [](std::uint64_t i) { return i % 3800 * 256 * kKiB; };
  struct Row {
    std::vector<DeviceSetting> settings;
    double bytes_per_second;
  };
  const std::vector<Row> rows = {
      {{{"interface_mb_s", "550"}}, 550e6}, {{}, 4 * 400e6}, {{{"channel_mb_s", "10000"}}, kDies * kUnit / 60e-6}};
  for (const Row& row : rows) {
    const auto ssd = drive(row.settings);
    const double seconds = closed_loop(*ssd, kRead, 38'000, 256 * kKiB, 32, in_order);
    CHECK(38'000 * 256.0 * kKiB / seconds == Approx(row.bytes_per_second).epsilon(0.02));
  }
}

TEST_CASE("ssd: sequential writes run at the slowest of link, channels and dies, once the buffer is full") {
  const auto in_order = [](std::uint64_t i) { return i % 3700 * 256 * kKiB; };
  struct Row {
    std::vector<DeviceSetting> settings;
    double bytes_per_second;
  };
  const double dies = kDies * kUnit / 800e-6;
  const std::vector<Row> rows = {
      {{{"fill", "fresh"}, {"interface_mb_s", "300"}}, 300e6},
      {{{"fill", "fresh"}, {"channel_mb_s", "100"}}, 4 * 100e6},
      {{{"fill", "fresh"}}, dies},
      // Overwriting in order empties whole blocks: each costs an erasure for 64 programs.
      {{{"fill", "filled"}}, kDies * kUnit / (800e-6 + 3200e-6 / 64)},
      // The buffer holds two units: two dies work, and a unit's own transfer is not hidden by other ones.
      {{{"fill", "fresh"}, {"write_buffer_kib", "64"}}, 2 * kUnit / (800e-6 + kUnit / 400e6)}};
  for (const Row& row : rows) {
    const auto ssd = drive(row.settings);
    // A filled drive has erased blocks at first. 970 MB, so that the 8 MiB of the buffer do not count.
    const std::uint64_t before = row.settings[0].value == "filled" ? 3700 : 0;
    const double start = closed_loop(*ssd, kWrite, before, 256 * kKiB, 8, in_order);
    const double seconds = closed_loop(*ssd, kWrite, 3700, 256 * kKiB, 8, in_order, Instant{} + duration_of(start));
    CAPTURE(row.bytes_per_second);
    CHECK(3700 * 256.0 * kKiB / seconds == Approx(row.bytes_per_second).epsilon(0.02));
  }
}

TEST_CASE("ssd: a write is complete when it is in the buffer, until that is full") {
  const auto ssd = drive({{"interface_mb_s", "1000"}, {"write_overhead_us", "5"}});
  // 8 MiB of buffer take 8.4 ms at 1000 MB/s and are full at 655 MB/s of flash only later.
  Instant now{};
  int slow = 0;
  for (std::uint64_t i = 0; i < 32; ++i) {
    const Instant done = ssd->complete_at({kWrite, i * 256 * kKiB, 256 * kKiB}, now);
    if (done - now != duration_of(256.0 * kKiB / 1000e6) + microseconds(5)) ++slow;
    now = done;
  }
  CHECK(slow == 0);
  // What is in the buffer is not in flash: a flush waits for it.
  const Instant flushed = ssd->complete_at({DeviceRequest::Kind::flush, 0, 0}, now);
  CHECK(flushed - now > microseconds(800));
  CHECK(flushed - Instant{} >= duration_of(8.0 * kMiB / (kDies * kUnit / 800e-6)));
}

TEST_CASE("ssd: a drive with power-loss protection flushes at once; another one programs what it has") {
  const auto safe = drive({{"power_loss_protection", "yes"}});
  const auto plain = drive();
  for (const auto* ssd : {&safe, &plain}) (*ssd)->complete_at({kWrite, 0, 4096}, Instant{});
  const Instant now{1'000'000};
  CHECK(safe->complete_at({DeviceRequest::Kind::flush, 0, 0}, now) == now);
  // A unit's transfer, 32 KiB at 400 MB/s, and its program.
  CHECK(plain->complete_at({DeviceRequest::Kind::flush, 0, 0}, now) == now + nanoseconds(81'920) + microseconds(800));
  CHECK(plain->complete_at({DeviceRequest::Kind::flush, 0, 0}, now + seconds(1)) == now + seconds(1));
}

TEST_CASE("ssd: without a buffer each write waits for its program") {
  const auto ssd = drive({{"write_buffer_kib", "0"}});
  const Instant done = ssd->complete_at({kWrite, 0, 4096}, Instant{});
  CHECK(in_seconds(done - Instant{}) == Approx(800e-6 + 81.92e-6).epsilon(0.001));
}

TEST_CASE("ssd: random writes in the steady state cost their write amplification") {
  const auto ssd = drive({{"fill", "steady"}, {"channel_mb_s", "100000"}, {"block_erase_us", "3000"}});
  Random random(11);
  const auto anywhere = [&](std::uint64_t) { return random.below(244'140) * 4096; };
  const double warm_up = closed_loop(*ssd, kWrite, 100'000, 4096, 64, anywhere);
  const Instant start{static_cast<std::int64_t>(warm_up * 1e9) + 1};
  const double seconds = closed_loop(*ssd, kWrite, 400'000, 4096, 64, anywhere, start);
  // rho = 1 / 1.28 and blocks of 512 slots: the mean field gives 2.47 slots for each one written. A program takes
  // eight; of a copied slot's page of four, 0.33 reads (a page with k valid slots of 4, each valid with the share u =
  // 0.595 of the collected block, is read for 1 - (1 - u)^4 = 0.973 of pages, 4 u = 2.38 slots each); an erasure for
  // 512.
  const double amplification = 2.47;
  const double reads = 0.973 / 2.38;
  const double die_time = amplification * 800e-6 / 8 + (amplification - 1) * reads * 60e-6 + amplification * 3e-3 / 512;
  CHECK(400'000 / seconds == Approx(kDies / die_time).epsilon(0.03));
  const std::vector<DeviceFigure> figures = ssd->figures();
  REQUIRE(figures.size() == 3);
  CHECK(figures[0].value == Approx(500'000 * 4096.0 / kMiB));
  CHECK(figures[1].value == Approx(figures[0].value * amplification).epsilon(0.02));
  CHECK(figures[2].name == "write_amplification");
  CHECK(figures[2].value == Approx(amplification).epsilon(0.02));
}

TEST_CASE("ssd: a read waits for the program in progress, not for those in the buffer") {
  const auto ssd = drive({{"fill", "filled"}});
  // 8 MiB in the buffer: 12.8 ms of programs on each die.
  Instant now{};
  for (std::uint64_t i = 0; i < 32; ++i) now = ssd->complete_at({kWrite, i * 256 * kKiB, 256 * kKiB}, now);
  Random random(2);
  const double reads = 500;
  double sum = 0;
  Instant at = now;
  std::int64_t longest = 0;
  for (int i = 0; i < 500; ++i) {
    const Instant done = ssd->complete_at({kRead, (100'000 + random.below(100'000)) * 4096, 4096}, at);
    longest = std::max(longest, (done - at).ns);
    sum += in_seconds(done - at);
    at = at + microseconds(20);
  }
  // One program that was in progress, one that had its turn, and the reads in front.
  CHECK(longest < 3 * microseconds(800).ns);
  // Half a program on average and the read, when nothing else reads; more, as reads meet each other.
  CHECK(sum / reads > 300e-6);
  CHECK(sum / reads < 900e-6);
}

TEST_CASE("ssd: settings that make no drive get one line") {
  const auto message = [](std::vector<DeviceSetting> more) {
    std::vector<DeviceSetting> settings = kPlain;
    settings.insert(settings.end(), more.begin(), more.end());
    const auto device = make_device("ssd", settings);
    REQUIRE_FALSE(device);
    return device.error().message;
  };
  CHECK(message({{"over_provisioning", "0"}}) == "device ssd: over_provisioning = 0 is not a number from 0.01 to 1");
  CHECK(
      message({{"over_provisioning", "0.01"}, {"pages_per_block", "4096"}}) ==
      "device ssd: over_provisioning of the mapped part must be two blocks or more: make it, or mapped_gib, larger, or "
      "pages_per_block smaller");
  CHECK(message({{"page_kib", "5"}}) == "device ssd: page_kib must be a multiple of 4");
  CHECK(message({{"capacity_gb", "1e300"}}) == "device ssd: capacity_gb = 1e300 is not a number from 0.01 to 1000000");
  CHECK(message({{"mapped_gib", "-1"}}) == "device ssd: mapped_gib = -1 is not a number from 0.01 to 32");
  CHECK(message({{"page_read_us", "nan"}}) == "device ssd: page_read_us = nan is not a number from 0 to 1000000");
  CHECK(message({{"fill", "half"}}) == "device ssd: fill = half is none of fresh, filled, steady");
}

TEST_CASE("ssd: requests beyond its end wrap around, however long they are") {
  const auto ssd = drive();
  const Instant done = ssd->complete_at({kWrite, UINT64_MAX - 4095, UINT64_MAX}, Instant{});
  CHECK(done > Instant{});
  CHECK(ssd->complete_at({kRead, UINT64_MAX, UINT64_MAX}, done) > done);
}
