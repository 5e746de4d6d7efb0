// clone against closed formulas: the pace of the stream, of the destination and of the CPUs, and the share of CPU time.
#include <string>

#include "blkpress/sim/workload.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

std::string data(const std::string& path) { return std::string(BLKPRESS_SOURCE_DIR) + "/data/" + path; }

using Values = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<World> clone_world(const std::string& compression, const std::string& destination_mb_s = "500") {
  WorldOptions options;
  options.host_file = data("hosts/xeon-2698v4-dual.toml");
  options.device_file = data("devices/samsung-pm963-mirror.toml");
  options.device_settings = {{"mb_s", destination_mb_s}};
  options.zfs = *ZfsOptions::parse(std::vector<Property>{
      {"version", "2.1"}, {"layout", "volume"}, {"volblocksize", "8K"}, {"ashift", "9"}, {"compression", compression}});
  auto world = World::make(options);
  REQUIRE(world);
  return std::move(*world);
}

Result<WorkloadResult> run(World& world, Values values) {
  Values all = {{"content", "vm_image"},
                {"knob", "0.0625"},
                {"bytes", "4294967296"},
                {"sample", "256"},
                {"source_device", data("devices/optane-900p-mirror.toml")},
                {"copy_ns_per_byte", "13.6"},
                {"baseline_percent", "52"}};
  for (auto& value : values) all.insert(all.begin(), std::move(value));
  WorkloadSettings settings("test", ".", std::move(all));
  return run_workload("clone", world, settings);
}

double number(const WorkloadResult& result, const std::string& metric) {
  for (const PrintedNumber& number : result.numbers) {
    if (number.metric == metric) return std::stod(number.value);
  }
  FAIL("no " << metric);
  return 0;
}

}  // namespace

TEST_CASE("clone: at the stream's pace the CPUs are busy for rate x (copy + codec) / CPUs") {
  for (const char* compression : {"off", "lz4", "gzip-7"}) {
    const auto world = clone_world(compression);
    double ns_per_byte = 13.6;
    double zeros = 0;
    if (std::string(compression) != "off") {
      zeros = 0.05;  // no codec sees them
      const auto time = world->host.compress_time(compression_named(compression), "vm-image", kMiB);
      REQUIRE(time);
      ns_per_byte += (1 - zeros) * static_cast<double>(time->ns) / static_cast<double>(kMiB);
    }
    const auto result = run(*world, {{"stream_mb_s", "200"}});
    REQUIRE(result);
    CHECK(number(*result, "copy.rate") == Approx(200).epsilon(0.01));
    CHECK(number(*result, "cpu.incremental") == Approx(200e6 * ns_per_byte * 1e-9 / 80 * 100).epsilon(0.03));
  }
}

TEST_CASE("clone: without a pace of the stream the destination limits what is written, not what is read") {
  const auto off = run(*clone_world("off"), {{"stream_mb_s", "0"}});
  const auto lz4 = run(*clone_world("lz4"), {{"stream_mb_s", "0"}});
  REQUIRE((off && lz4));
  CHECK(number(*off, "copy.rate") == Approx(500).epsilon(0.01));
  CHECK(number(*lz4, "copy.written_rate") == Approx(500).epsilon(0.02));
  CHECK(number(*lz4, "copy.rate") > 1.8 * number(*off, "copy.rate"));
}

TEST_CASE("clone: what else runs keeps its CPUs, so the copy has the rest") {
  // 38.4 of 80 CPUs are left, and 60 threads want them all for 13.6 ns a byte: 2.8 GB/s at most.
  const auto result = run(*clone_world("off", "100000"), {{"stream_mb_s", "0"}});
  REQUIRE(result);
  CHECK(number(*result, "cpu.incremental") < 100 - 52 + 1);
  CHECK(number(*result, "copy.rate") < 38.4 / 13.6e-9 / 1e6 * 1.02);
}

TEST_CASE("clone: a compressed source costs its decompression") {
  const auto world = clone_world("off");
  const auto time = world->host.decompress_time(compression_named("lz4"), "vm-image", kMiB);
  REQUIRE(time);
  const double ns_per_byte = 13.6 + static_cast<double>(time->ns) / static_cast<double>(kMiB);
  const auto result = run(*world, {{"stream_mb_s", "400"}, {"source_compression", "lz4"}});
  REQUIRE(result);
  CHECK(number(*result, "cpu.incremental") == Approx(400e6 * ns_per_byte * 1e-9 / 80 * 100).epsilon(0.02));
}

TEST_CASE("clone: an empty volume has the ratio 1.00 and takes no time") {
  const auto result = run(*clone_world("lz4"), {{"bytes", "0"}});
  REQUIRE(result);
  CHECK(number(*result, "zfs.compressratio") == 1.0);
  CHECK(number(*result, "copy.seconds") == 0);
}

TEST_CASE("clone: each wrong setting gets a line that says what would be right") {
  const auto message = [](Values values) {
    const auto result = run(*clone_world("off"), std::move(values));
    REQUIRE(!result);
    return result.error().message;
  };
  CHECK(message({{"batch_bytes", "12288"}}) == "clone: batch_bytes 12288 is no multiple of the record of 8192 bytes");
  CHECK(
      message({{"source_compression", "lz5"}}).starts_with("clone: source_compression: compression 'lz5' is not one"));
  CHECK(message({{"baseline_percent", "100"}}) == "test: baseline_percent = 100 is not a number from 0 to 99");
  CHECK(message({{"source_device", "/none.toml"}}).find("/none.toml") != std::string::npos);
}
