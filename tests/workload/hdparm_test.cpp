// hdparm against the rate of a device that has only one.
#include <string>

#include "blkpress/sim/workload.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

Result<WorkloadResult> hdparm(const std::vector<DeviceSetting>& device, Values values) {
  WorldOptions options;
  options.host_file = BLKPRESS_SOURCE_DIR "/data/hosts/freebsd-2009.toml";
  options.device_file = BLKPRESS_SOURCE_DIR "/data/devices/scsi-2008.toml";
  options.device_settings = device;
  options.zfs = *ZfsOptions::parse(std::vector<Property>{{"version", "v13"}, {"ashift", "9"}});
  options.write.dirty_data_max = 2 * kMiB;
  auto world = World::make(options);
  REQUIRE(world);
  WorkloadSettings settings("test", ".", std::move(values));
  return run_workload("hdparm", **world, settings);
}

std::string value(const WorkloadResult& result, const std::string& metric) {
  for (const PrintedNumber& number : result.numbers) {
    if (number.metric == metric) return number.value;
  }
  return "none";
}

}  // namespace

TEST_CASE("hdparm: counts whole pieces of 2 MiB until the time is over") {
  // 104.8576 MB/s are 100 MiB/s: 20 ms for a piece, 150 pieces in 3 s. 2000 MiB/s: 1 ms for a piece, in both tests.
  const auto result = hdparm({{"mb_s", "104.8576"}}, {{"cached_mb_s", "2000"}});
  REQUIRE(result);
  CHECK(value(*result, "hdparm.cached.MB") == "4000");
  CHECK(value(*result, "hdparm.cached.seconds") == "2.00");
  CHECK(value(*result, "hdparm.cached.rate") == "2000.00");
  // 300 MiB in 3 s, and the copy of the last request, 1 ms / 16, which nothing hides.
  CHECK(value(*result, "hdparm.buffered.MB") == "300");
  CHECK(value(*result, "hdparm.buffered.seconds") == "3.00");
  CHECK(value(*result, "hdparm.buffered.rate") == "100.00");
  CHECK(result->text ==
        " Timing cached reads:   4000 MB in  2.00 seconds = 2000.00 MB/sec\n"
        " Timing buffered disk reads: 300 MB in  3.00 seconds = 100.00 MB/sec\n");
}

TEST_CASE("hdparm: a piece that is under way when the time is over counts whole") {
  // 0.5 MiB/s: the first piece takes 4 s.
  const auto result = hdparm({{"mb_s", "0.524288"}}, {{"cached_mb_s", "1000"}});
  REQUIRE(result);
  CHECK(value(*result, "hdparm.buffered.MB") == "2");
  CHECK(value(*result, "hdparm.buffered.seconds") == "4.00");
  CHECK(result->text.find("   2 MB in  4.00 seconds = 511.98 kB/sec\n") != std::string::npos);
}

TEST_CASE("hdparm: without read-ahead the copy is not hidden by the device") {
  const auto result = hdparm({{"mb_s", "104.8576"}}, {{"cached_mb_s", "100"}, {"depth", "1"}, {"request_kib", "2048"}});
  REQUIRE(result);
  // 20 ms to read and 20 ms to copy each piece; with read-ahead, 20 ms in all.
  CHECK(std::stod(value(*result, "hdparm.buffered.rate")) == Approx(50).epsilon(1e-6));
  const auto ahead = hdparm({{"mb_s", "104.8576"}}, {{"cached_mb_s", "100"}, {"depth", "2"}});
  REQUIRE(ahead);
  CHECK(std::stod(value(*ahead, "hdparm.buffered.rate")) == Approx(100).epsilon(0.001));
}

TEST_CASE("hdparm: settings that are wrong are named") {
  CHECK(hdparm({}, {}).error().message == "test: cached_mb_s is missing, a number from 1 to 1000000");
  CHECK(hdparm({}, {{"cached_mb_s", "nan"}}).error().message ==
        "test: cached_mb_s = nan is not a number from 1 to 1000000");
  CHECK(hdparm({}, {{"cached_mb_s", "9"}, {"request_kib", "100"}}).error().message ==
        "hdparm: request_kib 100 does not divide 2048, what hdparm reads at a time");
}
