// Hosts and cost tables: what they compute, and what they say of damaged files.
#include "blkpress/sim/host.hpp"

#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using namespace blkpress::sim;
using blkpress::test::ScratchDirectory;

namespace {

const std::string kHosts = std::string(BLKPRESS_SOURCE_DIR) + "/data/hosts/";

const char* const kCosts =
    "machine = \"test\"\nrecord_bytes = 131072\nrepetitions = 20\nlibraries = []\ncosts = [\n"
    "  { compression = \"gzip-6\", content = \"text\", compress_ns_per_byte = 40.0, decompress_ns_per_byte = 4.0 },\n"
    "  { compression = \"lz4\", content = \"text\", compress_ns_per_byte = 2.0, decompress_ns_per_byte = 0.5 },\n]\n";

}  // namespace

TEST_CASE("host: a time is the table's cost for the bytes, by the host's speed") {
  const ScratchDirectory scratch;
  scratch.write("costs.toml", kCosts);
  scratch.write("host.toml", "cores = 2\nmemory_mib = 1024\ncosts = \"costs.toml\"\nspeed = 0.5\n");
  const auto host = HostModel::load(scratch.path("host.toml"));
  REQUIRE(host);
  CHECK(host->cores() == 2);
  CHECK(host->memory_bytes() == 1024 * kMiB);
  CHECK(*host->compress_time(compression_named("lz4"), "text", 1000) == Duration{4000});
  CHECK(*host->decompress_time(compression_named("gzip-6"), "text", 1000) == Duration{8000});
}

TEST_CASE("host: one known time sets the speed, and other codecs follow the table") {
  const ScratchDirectory scratch;
  scratch.write("costs.toml", kCosts);
  scratch.write(
      "host.toml",
      "cores = 2\nmemory_mib = 1024\ncosts = \"costs.toml\"\n[speed]\ncompression = \"gzip-6\"\ncontent = \"text\"\n"
      "bytes = 1000000\nmilliseconds = 80\n");
  const auto host = HostModel::load(scratch.path("host.toml"));
  REQUIRE(host);
  // 40 ms in the table, 80 on the host: half as fast.
  CHECK(host->speed() == Approx(0.5));
  CHECK(*host->compress_time(compression_named("gzip-6"), "text", 1'000'000) == milliseconds(80));
  CHECK(*host->compress_time(compression_named("lz4"), "text", 1'000'000) == milliseconds(4));
}

TEST_CASE("host: content and codecs that the table lacks are named with what there is") {
  const ScratchDirectory scratch;
  scratch.write("costs.toml", kCosts);
  scratch.write("host.toml", "cores = 2\nmemory_mib = 1024\ncosts = \"costs.toml\"\nspeed = 1\n");
  const auto host = HostModel::load(scratch.path("host.toml"));
  REQUIRE(host);
  const auto missing = host->compress_time(compression_named("lz4"), "video", 1);
  REQUIRE(!missing);
  CHECK(missing.error().message == "host host has no cost of lz4 on video; it has text");
}

TEST_CASE("host: the table that is checked in has every codec that the experiments use, on their content") {
  const auto table = load_codec_costs(kHosts + "codec_costs.toml");
  REQUIRE(table);
  CHECK(table->repetitions >= 20);
  for (const char* name : {"lz4", "gzip-6", "zstd-3"}) {
    const CodecCost* cost = table->find(compression_named(name), "fio-3.29");
    REQUIRE(cost != nullptr);
    CHECK(cost->compress_ns_per_byte > 0);
    CHECK(cost->decompress_ns_per_byte > 0);
  }
  // A random record costs zstd little, for it gives up at once; fio's buffers do not let it.
  const double on_random = table->find(compression_named("zstd-3"), "urandom")->compress_ns_per_byte;
  CHECK(table->find(compression_named("zstd-3"), "fio-3.29")->compress_ns_per_byte > 10 * on_random);
}

namespace {

// What loading says of a host file and a cost table, from the end of the scratch directory's name on.
std::string message(const std::string& host_file, const std::string& costs = kCosts,
                    const std::vector<HostSetting>& set = {}) {
  const ScratchDirectory scratch;
  scratch.write("costs.toml", costs);
  scratch.write("host.toml", host_file);
  const auto host = HostModel::load(scratch.path("host.toml"), set);
  if (host) return "loaded";
  return host.error().message.substr(scratch.path().size() + 1);
}

const std::string kHost = "cores = 1\nmemory_mib = 1\ncosts = \"costs.toml\"\nspeed = 1\n";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

}  // namespace

TEST_CASE("host: damaged files get a line with the file's name and line") {
  CHECK(message(kHost) == "loaded");
  CHECK(message(replaced(kHost, "cores = 1", "cores = 0")) ==
        "host.toml:1: cores = 0 is not a whole number from 1 to 4096");
  CHECK(message(replaced(kHost, "cores = 1", "cores = 1.5")) ==
        "host.toml:1: cores = 1.5 is not a whole number from 1 to 4096");
  CHECK(message(replaced(kHost, "memory_mib = 1", "memory_mib = nan")) ==
        "host.toml:2: memory_mib = nan is not a number from 1 to 1000000000");
  CHECK(message(replaced(kHost, "costs = \"costs.toml\"\n", "")) == "host.toml:1: costs is missing");
  CHECK(message(replaced(kHost, "speed = 1\n", "")) == "host.toml:1: speed is missing, a number from 0.001 to 1000");
}

TEST_CASE("host: a field that nobody knows is refused with those that are known, in the host and in the table") {
  CHECK(message(kHost + "memory = 4\n") ==
        "host.toml:5: unknown field memory; known are name, cores, memory_mib, costs, speed");
  CHECK(message(kHost, "colour = 1\n" + std::string(kCosts)) ==
        "costs.toml:1: unknown field colour; known are machine, record_bytes, repetitions, libraries, costs");
  CHECK(message(kHost, replaced(kCosts, "content = \"text\",", "content = \"text\", colour = 1,")) ==
        "costs.toml:6: unknown field colour; known are compression, content, compress_ns_per_byte, "
        "decompress_ns_per_byte");
  CHECK(message(replaced(kHost, "speed = 1\n",
                         "[speed]\ncompression = \"lz4\"\ncontent = \"text\"\nbytes = 1000\n"
                         "milliseconds = 1\nseconds = 1\n")) ==
        "host.toml:9: unknown field seconds; known are compression, content, bytes, milliseconds");
}

TEST_CASE("host: speed and costs that overflow a time are refused, given or derived") {
  CHECK(message(replaced(kHost, "speed = 1", "speed = 1e-300")) ==
        "host.toml:4: speed = 1e-300 is not a number from 0.001 to 1000");
  CHECK(message(replaced(kHost, "speed = 1", "speed = inf")) ==
        "host.toml:4: speed = inf is not a number from 0.001 to 1000");
  CHECK(message(kHost, replaced(kCosts, "40.0", "1e300")) ==
        "costs.toml:6: compress_ns_per_byte = 1e+300 is not a number from 0 to 100000");
  CHECK(message(kHost, replaced(kCosts, "0.5", "-1")) ==
        "costs.toml:7: decompress_ns_per_byte = -1 is not a number from 0 to 100000");
  // 2 ns a byte for 1000 bytes is 2 us; in a million times that the host would be a millionth as fast.
  CHECK(message(replaced(kHost, "speed = 1\n",
                         "[speed]\ncompression = \"lz4\"\ncontent = \"text\"\nbytes = 1000\n"
                         "milliseconds = 2000\n")) ==
        "host.toml: the known time makes speed 1e-06, which is not from 0.001 to 1000");
}

TEST_CASE("host: settings stand in place of what the file says, and are held to the same limits") {
  const ScratchDirectory scratch;
  scratch.write("costs.toml", kCosts);
  scratch.write("host.toml", kHost);
  const auto host = HostModel::load(scratch.path("host.toml"), {{"cores", "8"}, {"speed", "2"}});
  REQUIRE(host);
  CHECK(host->cores() == 8);
  CHECK(*host->compress_time(compression_named("lz4"), "text", 1000) == Duration{1000});
  CHECK(message(kHost, kCosts, {{"cores", "many"}}) == "host.toml: cores = many is not a whole number from 1 to 4096");
  CHECK(message(kHost, kCosts, {{"core", "2"}}) ==
        "host.toml: unknown field core; known are name, cores, memory_mib, costs, speed");
}
