// Cloud disks against the formulas of their providers, which are closed.
#include <algorithm>

#include "blkpress/bytes.hpp"
#include "blkpress/sim/device.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

const std::string kDevices = BLKPRESS_SOURCE_DIR "/data/devices/";

std::unique_ptr<DeviceModel> device(const std::string& name, const std::vector<DeviceSetting>& overrides = {}) {
  auto loaded = load_device(kDevices + name + ".toml", overrides);
  INFO((loaded ? std::string() : loaded.error().message));
  REQUIRE(loaded);
  return std::move(*loaded);
}

// The next request is sent when the last one is complete, with this many under way at a time.
Instant closed_loop(DeviceModel& model, std::uint64_t requests, std::uint64_t bytes, std::size_t depth, Instant start) {
  std::vector<Instant> ready(depth, start);
  Instant last = start;
  for (std::uint64_t i = 0; i < requests; ++i) {
    Instant& slot = ready[i % depth];
    slot = model.complete_at({DeviceRequest::Kind::write, i * bytes, bytes}, slot);
    last = std::max(last, slot);
  }
  return last;
}

}  // namespace

TEST_CASE("cloud: Tencent's 50 GB disk moves 145 MB/s, min(120 + 0.5 GB, 350)") {
  const auto disk = device("tencent-cloud-50g");
  const std::uint64_t records = 81920;
  const Instant end = closed_loop(*disk, records, 131072, 10, Instant{});
  const double rate = static_cast<double>(records * 131072) / in_seconds(end - Instant{});
  CHECK(rate == Approx(145e6).epsilon(0.001));
}

TEST_CASE("cloud: throughput by size follows the provider's formula up to its limit") {
  struct Row {
    const char* size;
    double mb_s;
  };
  for (const Row& row : {Row{"20", 130}, Row{"100", 170}, Row{"460", 350}, Row{"2000", 350}}) {
    const auto disk = device("tencent-cloud-50g", {{"size_gb", row.size}, {"burst_mib", "0"}});
    const Instant end = closed_loop(*disk, 20000, 1 << 20, 4, Instant{});
    CHECK(20000.0 * (1 << 20) / in_seconds(end - Instant{}) == Approx(row.mb_s * 1e6).epsilon(0.001));
  }
}

TEST_CASE("cloud: credit of an idle disk is spent at line rate, and no more than the bucket holds") {
  const auto disk = device("tencent-cloud-50g");
  // Empty at the start: 20 MiB at 145 MB/s fill it in 0.145 s; after a second of idling it is just full.
  const Instant start{1'000'000'000};
  // While the bucket lasts, 1000 MB/s leave and 145 MB/s come in: 20 MiB / 855 MB/s = 24.53 ms, 24.53 MB.
  const double burst = 20.0 * kMiB * 1000 / (1000 - 145);
  Instant end{};
  const std::uint64_t piece = 262144;  // 4300 requests a second of that size are more than the line carries
  const auto pieces = static_cast<std::uint64_t>(burst / piece);
  for (std::uint64_t i = 0; i < pieces; ++i) end = disk->complete_at({DeviceRequest::Kind::write, 0, piece}, start);
  const double seconds_in_burst = in_seconds(end - start) - 0.001;  // its latency
  CHECK(static_cast<double>(pieces * piece) / seconds_in_burst == Approx(1e9).epsilon(0.001));
  Instant after = end;
  for (int i = 0; i < 1000; ++i) after = disk->complete_at({DeviceRequest::Kind::write, 0, piece}, start);
  CHECK(1000.0 * piece / in_seconds(after - end) == Approx(145e6).epsilon(0.01));
}

TEST_CASE("cloud: an empty bucket at the start gives no burst") {
  const auto disk = device("tencent-cloud-50g");
  const Instant end = disk->complete_at({DeviceRequest::Kind::write, 0, 1450000}, Instant{});
  CHECK(in_seconds(end - Instant{}) == Approx(0.010 + 0.001).epsilon(1e-6));
}

TEST_CASE("cloud: gp2's burst lasts 2000, 2400 and 3600 s at 100, 250 and 500 GiB") {
  struct Row {
    const char* size;
    double burst_s;
    double baseline;
  };
  const Row row = GENERATE(Row{"100", 2000, 300}, Row{"250", 2400, 750}, Row{"500", 3600, 1500});
  const auto disk = device("aws-gp2-100g", {{"size_gb", row.size}});
  // 4 KiB requests, as many as the credit and what comes in meanwhile last for: 3000 a second.
  const auto requests = static_cast<std::uint64_t>(row.burst_s * 3000);
  const Instant end = closed_loop(*disk, requests, 4096, 16, Instant{});
  CHECK(in_seconds(end - Instant{}) == Approx(row.burst_s).epsilon(0.001));
  const Instant later = closed_loop(*disk, 100'000, 4096, 16, end);
  CHECK(100'000 / in_seconds(later - end) == Approx(row.baseline).epsilon(0.001));
}

TEST_CASE("cloud: gp3 serves 3000 requests and 125 MiB a second, without a burst") {
  const auto small = device("aws-gp3");
  CHECK(30'000 / in_seconds(closed_loop(*small, 30'000, 4096, 16, Instant{}) - Instant{}) ==
        Approx(3000).epsilon(0.001));
  const auto large = device("aws-gp3");
  const Instant end = closed_loop(*large, 10'000, 131072, 16, Instant{});
  CHECK(10'000 * 0.125 / in_seconds(end - Instant{}) == Approx(125).epsilon(0.001));
}

TEST_CASE("cloud: a flush waits for what was sent before it") {
  const auto disk = device("tencent-cloud-50g");
  const Instant write = disk->complete_at({DeviceRequest::Kind::write, 0, 1 << 20}, Instant{});
  CHECK(disk->complete_at({DeviceRequest::Kind::flush, 0, 0}, Instant{1000}) == write + milliseconds(1));
}
