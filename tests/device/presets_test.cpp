// Ready-made devices against what their data sheets say.
#include <functional>
#include <queue>

#include "blkpress/bytes.hpp"
#include "blkpress/random.hpp"
#include "blkpress/sim/device.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

constexpr auto kRead = DeviceRequest::Kind::read;
constexpr auto kWrite = DeviceRequest::Kind::write;

std::unique_ptr<DeviceModel> preset(const std::string& name) {
  auto device = load_device(BLKPRESS_SOURCE_DIR "/data/devices/" + name + ".toml");
  INFO((device ? std::string() : device.error().message));
  REQUIRE(device);
  return std::move(*device);
}

// Requests a second with `depth` of them under way.
double rate(DeviceModel& device, DeviceRequest::Kind kind, std::uint64_t bytes, std::size_t depth, bool in_order) {
  constexpr std::uint64_t kRequests = 20'000;
  const std::uint64_t places = 3 * kGiB / bytes;
  Random random(4);
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> under_way;
  for (std::size_t i = 0; i < depth; ++i) under_way.push(0);
  std::int64_t last = 0;
  for (std::uint64_t i = 0; i < kRequests; ++i) {
    const std::uint64_t place = in_order ? i % places : random.below(places);
    const Instant now{under_way.top()};
    under_way.pop();
    last = device.complete_at({kind, place * bytes, bytes}, now).ns;
    under_way.push(last);
  }
  return kRequests / (static_cast<double>(last) * 1e-9);
}

double megabytes(const std::string& name, DeviceRequest::Kind kind) {
  return rate(*preset(name), kind, 128 * kKiB, 32, true) * 131072e-6;
}

double iops(const std::string& name, DeviceRequest::Kind kind, std::size_t depth) {
  return rate(*preset(name), kind, 4096, depth, false);
}

}  // namespace

TEST_CASE("presets: ssd-sata.toml comes within a tenth of its data sheet") {
  CHECK(megabytes("ssd-sata", kRead) == Approx(550).epsilon(0.10));
  CHECK(megabytes("ssd-sata", kWrite) == Approx(520).epsilon(0.10));
  CHECK(iops("ssd-sata", kRead, 32) == Approx(98'000).epsilon(0.10));
  CHECK(iops("ssd-sata", kWrite, 32) == Approx(90'000).epsilon(0.10));
  CHECK(iops("ssd-sata", kRead, 1) == Approx(10'000).epsilon(0.10));
  CHECK(iops("ssd-sata", kWrite, 1) == Approx(40'000).epsilon(0.10));
}

TEST_CASE("presets: nvme.toml comes within a tenth of its data sheet, and of what it keeps up when writing") {
  CHECK(megabytes("nvme", kRead) == Approx(3400).epsilon(0.10));
  CHECK(megabytes("nvme", kWrite) == Approx(1200).epsilon(0.10));
  CHECK(iops("nvme", kRead, 128) == Approx(500'000).epsilon(0.10));
}

TEST_CASE("presets: random reads of hard disks take the published seek, half a turn and little more") {
  struct Row {
    const char* name;
    double seek;
    double rpm;
  };
  // The mean over random pairs of sectors is not quite the seek over a third of the stroke: the curve bends, and the
  // outer cylinders hold more.
  for (const Row& row : {Row{"hdd-5400", 12e-3, 5400}, Row{"hdd-7200", 8.5e-3, 7200}, Row{"hdd-10k", 5.61e-3, 10000},
                         Row{"hdd-15k", 3.3e-3, 15000}}) {
    const auto disk = preset(row.name);
    Random random(6);
    Instant now{};
    for (int i = 0; i < 20'000; ++i) now = disk->complete_at({kRead, random.below(UINT64_MAX / 2), 4096}, now);
    CAPTURE(row.name);
    CHECK(in_seconds(now - Instant{}) / 20'000 == Approx(row.seek + 30 / row.rpm).epsilon(0.07));
  }
}
