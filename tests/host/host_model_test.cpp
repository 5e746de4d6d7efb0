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

TEST_CASE("host: damaged files get a line with the file's name") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("host.toml");
  const auto message = [&](const std::string& text) {
    scratch.write("host.toml", text);
    const auto host = HostModel::load(path);
    REQUIRE(!host);
    return host.error().message.substr(path.size());
  };
  scratch.write("costs.toml", kCosts);
  CHECK(message("cores = 0\nmemory_mib = 1\ncosts = \"costs.toml\"\nspeed = 1\n") ==
        ": cores is not a number from 1 to 4096");
  CHECK(message("cores = 1\nmemory_mib = -1\ncosts = \"costs.toml\"\nspeed = 1\n") ==
        ": memory_mib is not a number from 1 to 1e9");
  CHECK(message("cores = 1\nmemory_mib = 1\nspeed = 1\n") == ": costs is missing, the name of a cost table");
  CHECK(message("cores = 1\nmemory_mib = 1\ncosts = \"costs.toml\"\n") ==
        ": speed is missing, a factor above 0 or a table with one known time");
}
