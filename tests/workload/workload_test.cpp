// dd and cp against closed formulas, and settings that are wrong.
#include "blkpress/sim/workload.hpp"

#include <string>

#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

std::string data(const std::string& path) { return std::string(BLKPRESS_SOURCE_DIR) + "/data/" + path; }

std::unique_ptr<World> old_world(const std::string& compression) {
  WorldOptions options;
  options.host_file = data("hosts/freebsd-2009.toml");
  options.device_file = data("devices/scsi-2008.toml");
  options.device_settings = {{"mb_s", "16.18"}};
  options.zfs = *ZfsOptions::parse(
      std::vector<Property>{{"version", "v13"}, {"recordsize", "128K"}, {"ashift", "9"}, {"compression", compression}});
  options.write.dirty_data_max = 2 * kMiB;
  auto world = World::make(options);
  REQUIRE(world);
  return std::move(*world);
}

using Values = std::vector<std::pair<std::string, std::string>>;

Result<WorkloadResult> run(const std::string& name, const std::string& compression, Values values) {
  const auto world = old_world(compression);
  WorkloadSettings settings("test", ".", std::move(values));
  return run_workload(name, *world, settings);
}

double number(const WorkloadResult& result, const std::string& metric) {
  for (const PrintedNumber& number : result.numbers) {
    if (number.metric == metric) return std::stod(number.value);
  }
  FAIL("no " << metric);
  return 0;
}

const Values kDd = {{"bs", "1024"}, {"count", "131072"}, {"cpu_us_per_block", "34.19"}};

Values with(Values values, std::string key, std::string value) {
  values.insert(values.begin(), {std::move(key), std::move(value)});
  return values;
}

}  // namespace

TEST_CASE("dd: with zeros and compression nothing but the CPU counts") {
  // 131072 x 34.19 us: every record is a hole.
  for (const char* compression : {"lzjb", "gzip"}) {
    const auto result = run("dd", compression, with(kDd, "source", "zero"));
    REQUIRE(result);
    CHECK(number(*result, "dd.seconds") == Approx(131072 * 34.19e-6).epsilon(0.001));
    CHECK(result->files[0].data.asize == 0);
  }
}

TEST_CASE("dd: without compression zeros are written, at the rate of the disks") {
  const auto result = run("dd", "off", with(kDd, "source", "zero"));
  REQUIRE(result);
  // What is left dirty at the end is at most 2 MiB of 128.
  const double whole = 134217728 / 16.18e6;
  CHECK(number(*result, "dd.seconds") <= whole);
  CHECK(number(*result, "dd.seconds") >= whole * (1 - 2.0 / 128));
  CHECK(number(*result, "dd.bytes") == 134217728);
  CHECK(number(*result, "dd.rate") == Approx(134217728 / number(*result, "dd.seconds")).epsilon(1e-6));
}

TEST_CASE("dd: on one CPU the codec's time adds to dd's in full") {
  const auto world = old_world("gzip");
  const auto codec = world->host.compress_time(compression_named("gzip-6"), "urandom", 128 * kKiB);
  REQUIRE(codec);
  const double expected = 131072 * 34.19e-6 + 1024 * in_seconds(*codec);
  const auto result = run("dd", "gzip", with(kDd, "source", "urandom"));
  REQUIRE(result);
  // The last transaction group is compressed after dd has ended.
  CHECK(number(*result, "dd.seconds") <= expected * 1.001);
  CHECK(number(*result, "dd.seconds") >= expected * (1 - 2.0 / 128));
}

TEST_CASE("cp: ends when the copy is in memory, whatever the compression") {
  const Values cp = {{"content", "urandom"}, {"bytes", "5767168"}, {"system_ns_per_byte", "2"}};
  for (const char* compression : {"off", "lzjb"}) {
    const auto result = run("cp", compression, cp);
    REQUIRE(result);
    CHECK(number(*result, "time.sys") == Approx(5767168 * 2e-9).epsilon(0.05));
  }
}

TEST_CASE("workload settings: each wrong one gets a line that says what would be right") {
  const auto message = [](const std::string& workload, Values values) {
    const auto result = run(workload, "off", std::move(values));
    REQUIRE(!result);
    CHECK(result.error().kind == ErrorKind::usage);
    return result.error().message;
  };
  CHECK(message("tar", {}) == "workload tar is unknown; there are fio, dd, cp, hdparm, store, clone, network_copy");
  CHECK(message("dd", {}) == "test: source is missing");
  CHECK(message("dd", with(kDd, "source", "tape")) == "dd: source tape is unknown; there are zero, urandom");
  CHECK(message("dd", {{"source", "zero"}, {"bs", "0"}, {"count", "1"}, {"cpu_us_per_block", "1"}}) ==
        "test: bs = 0 is not a whole number from 1 to 1073741824");
  CHECK(message("dd", {{"source", "zero"}, {"bs", "1x"}, {"count", "1"}, {"cpu_us_per_block", "1"}}) ==
        "test: bs = 1x is not a whole number from 1 to 1073741824");
  CHECK(message("dd",
                {{"source", "zero"}, {"bs", "1073741824"}, {"count", "1099511627776"}, {"cpu_us_per_block", "1"}}) ==
        "dd: 1099511627776 blocks of 1073741824 bytes are more than 1 TiB");
  CHECK(message("dd", with(with(kDd, "source", "zero"), "colour", "red")) == "test: unknown setting colour");
  CHECK(message("cp", {{"content", "urandom"}, {"bytes", "100"}, {"system_ns_per_byte", "nan"}}) ==
        "test: system_ns_per_byte = nan is not a number from 0 to 1000000");
}
