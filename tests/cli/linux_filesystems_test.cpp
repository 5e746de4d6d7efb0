// `blkpress estimate` with the policies of Linux's own filesystems.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using test::run_command;
using Json = nlohmann::ordered_json;

TEST_CASE("command estimate: btrfs and f2fs answer by their own properties, in one run with zfs") {
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/zeros";
  std::ofstream(path, std::ios::binary) << std::string(1 << 20, '\0');
  const auto run = run_command({"estimate", "--policy", "zfs,btrfs,f2fs", "--format", "json", path});
  REQUIRE(run.status == 0);
  const Json results = Json::parse(run.out)["results"];
  // Without liblzo2 Btrfs's lzo is left out.
  const std::size_t btrfs = BLKPRESS_WITH_LZO ? 3 : 2;
  REQUIRE(results.size() == 3 * 2 + btrfs + 2);
  CHECK(results[6]["policy"] == "btrfs");
  CHECK(results[6]["compression"] == (BLKPRESS_WITH_LZO ? "lzo" : "zlib:3"));
  // Btrfs stores 4 KiB for 128 KiB of zeros; F2FS compresses nothing that has not been flagged.
  CHECK(results[6]["asize"] == (1 << 20) / 32);
  CHECK(results[6]["recordsize"] == 131072);
  CHECK(results[6 + btrfs]["policy"] == "f2fs");
  CHECK(results[6 + btrfs]["asize"] == 1 << 20);
  CHECK(results[6 + btrfs]["reasons"]["compression_off"]["records"] == 64);
}

TEST_CASE("command estimate: a codec among the settings stands in place of the usual ones") {
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path() + "/zeros";
  std::ofstream(path, std::ios::binary) << std::string(1 << 20, '\0');
  const auto run =
      run_command({"estimate", "--policy", "btrfs", "--set", "compress-force=zstd:9", "--format", "json", path});
  REQUIRE(run.status == 0);
  const Json results = Json::parse(run.out)["results"];
  REQUIRE(results.size() == 1);
  CHECK(results[0]["properties"]["compress-force"] == "zstd:9");
  const auto released = run_command(
      {"estimate", "--policy", "f2fs", "--set", "compress_extension=*,release=on", "--format", "json", path});
  REQUIRE(released.status == 0);
  CHECK(Json::parse(released.out)["results"][0]["asize"] == (1 << 20) / 4);
}

TEST_CASE("command estimate: a codec that Btrfs does not have is refused with those that it has") {
  const auto run = run_command({"estimate", "--policy", "btrfs", "--compression", "lz4", "."});
  CHECK(run.status == 2);
  CHECK(run.out.empty());
  CHECK(run.err.find("compress 'lz4' is not one of: no | zlib") != std::string::npos);
}
