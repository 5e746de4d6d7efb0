// network_copy against closed formulas: phases that take turns add their times, phases that overlap hide the shorter
// one.
#include <algorithm>
#include <string>

#include "blkpress/sim/workload.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

std::string data(const std::string& path) { return std::string(BLKPRESS_SOURCE_DIR) + "/data/" + path; }

using Values = std::vector<std::pair<std::string, std::string>>;

constexpr double kBaseNs = 30;
constexpr double kLink = 117.5e6;
constexpr double kBytes = 4294967296.0;

std::unique_ptr<World> copy_world(const std::string& compression) {
  WorldOptions options;
  options.host_file = data("hosts/server-2010.toml");
  options.device_file = data("devices/disk-heap-2010.toml");
  options.zfs = *ZfsOptions::parse(
      std::vector<Property>{{"version", "v28"}, {"recordsize", "128K"}, {"ashift", "9"}, {"compression", compression}});
  auto world = World::make(options);
  REQUIRE(world);
  return std::move(*world);
}

Result<WorkloadResult> run(World& world, Values values) {
  Values all = {
      {"content", "mixed_files"}, {"knob", "0.6"},           {"bytes", "4294967296"},    {"sample", "64"},
      {"streams", "8"},           {"receive_mb_s", "117.5"}, {"base_ns_per_byte", "30"}, {"group_bytes", "536870912"}};
  for (auto& value : values) all.insert(all.begin(), std::move(value));
  WorkloadSettings settings("test", ".", std::move(all));
  return run_workload("network_copy", world, settings);
}

double number(const WorkloadResult& result, const std::string& metric) {
  for (const PrintedNumber& number : result.numbers) {
    if (number.metric == metric) return std::stod(number.value);
  }
  FAIL("no " << metric);
  return 0;
}

double mibit(double bytes_per_second) { return bytes_per_second * 8 / static_cast<double>(kMiB); }

// Kernel time for a byte on one core, in seconds.
double cost(const World& world, const std::string& compression) {
  const auto time = world.host.compress_time(compression_named(compression), "mixed-files", kMiB);
  REQUIRE(time);
  return kBaseNs * 1e-9 + in_seconds(*time) / static_cast<double>(kMiB);
}

}  // namespace

TEST_CASE("network_copy: phases that take turns: 1 / X = 1 / R + c / cores, and c X cores are busy") {
  for (const char* compression : {"lzjb", "gzip-6"}) {
    const auto world = copy_world(compression);
    const double c = cost(*world, compression);
    const auto result = run(*world, {});
    REQUIRE(result);
    const double rate = 1 / (1 / kLink + c / 8);
    // The last writes of each group are waited for.
    CHECK(number(*result, "net.throughput") == Approx(mibit(rate)).epsilon(0.02));
    CHECK(number(*result, "cpu.kernel") == Approx(c * rate * 100).epsilon(0.02));
  }
}

TEST_CASE("network_copy: phases that overlap: the slower of network and CPUs limits") {
  for (const char* compression : {"lzjb", "gzip-6"}) {
    const auto world = copy_world(compression);
    const double c = cost(*world, compression);
    const auto result = run(*world, {{"phases", "overlapping"}});
    REQUIRE(result);
    // Nothing overlaps with the first group's receiving nor with the last one's syncing: one phase of nine at most.
    const double elapsed = kBytes * 8 / static_cast<double>(kMiB) / number(*result, "net.throughput");
    const double slower = std::max(kBytes / kLink, kBytes * c / 8);
    const double faster = std::min(kBytes / kLink, kBytes * c / 8);
    CHECK(elapsed == Approx(slower + faster / 8).epsilon(0.02));
  }
}

TEST_CASE("network_copy: neither the number of streams nor the size of a group decides the throughput") {
  const auto usual = run(*copy_world("lzjb"), {});
  const auto one = run(*copy_world("lzjb"), {{"streams", "1"}});
  const auto small = run(*copy_world("lzjb"), {{"group_bytes", "134217728"}});
  REQUIRE((usual && one && small));
  CHECK(number(*one, "net.throughput") == Approx(number(*usual, "net.throughput")).epsilon(0.01));
  CHECK(number(*small, "net.throughput") == Approx(number(*usual, "net.throughput")).epsilon(0.03));
}

TEST_CASE("network_copy: each wrong setting gets a line that says what would be right") {
  const auto message = [](Values values) {
    const auto result = run(*copy_world("lzjb"), std::move(values));
    REQUIRE(!result);
    return result.error().message;
  };
  CHECK(message({{"phases", "serial"}}) == "network_copy: phases serial is neither alternating nor overlapping");
  CHECK(message({{"group_bytes", "1000"}}) ==
        "network_copy: bytes 4294967296 and group_bytes 1000 are not both multiples of batch_bytes 1048576");
  CHECK(message({{"streams", "0"}}) == "test: streams = 0 is not a whole number from 1 to 4096");
}
