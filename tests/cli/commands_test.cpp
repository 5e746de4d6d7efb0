// Every command in its forms, and its exit statuses.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "blkpress/codec.hpp"
#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using test::listed_commands;
using test::run_command;
using Json = nlohmann::ordered_json;

TEST_CASE("command: without arguments it prints help as an error, with help as a result") {
  const auto bare = run_command({});
  CHECK(bare.status == 2);
  CHECK(bare.out.empty());
  for (const char* word : {"help", "--help", "-h"}) {
    const auto help = run_command({word});
    CHECK(help.status == 0);
    CHECK(help.err.empty());
    CHECK(help.out == bare.err);
    CHECK(help.out.find("blkpress estimate --compression") != std::string::npos);
  }
}

TEST_CASE("command: every listed command is in the help and has help of its own") {
  const auto help = run_command({"help"});
  for (const std::string& name : listed_commands()) {
    CAPTURE(name);
    CHECK(help.out.find("\n  " + name + ' ') != std::string::npos);
    const auto own = run_command({name, "--help"});
    CHECK(own.status == 0);
    CHECK(own.err.empty());
    CHECK(own.out.find("Usage: blkpress " + name) != std::string::npos);
    CHECK(run_command({"help", name}).out == own.out);
    std::istringstream lines(own.out);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      CHECK(line.size() <= 120);
    }
    const auto unknown_option = run_command({name, "--no-such-option"});
    CHECK(unknown_option.status == 2);
    CHECK(unknown_option.out.empty());
    CHECK(unknown_option.err.starts_with("blkpress: " + name + ": "));
  }
}

TEST_CASE("command version: names every library behind a codec, and whether lzo is in") {
  const auto run = run_command({"--version"});
  CHECK(run.status == 0);
  CHECK(run.out.starts_with("blkpress 0."));
  for (const CodecInfo& codec : codecs()) {
    const std::string version = codec.library_version();
    if (!version.empty()) CHECK(run.out.find(std::string(codec.library) + ' ' + version) != std::string::npos);
  }
  CHECK((run.out.find("built with lzo") != std::string::npos) == (BLKPRESS_WITH_LZO == 1));
  CHECK(run_command({"version"}).out == run.out);
}

TEST_CASE("command codecs: the list has every codec of the registry in each form") {
  const auto text = run_command({"codecs"});
  const auto csv = run_command({"codecs", "--format", "csv"});
  const auto json = Json::parse(run_command({"codecs", "--format=json"}).out);
  REQUIRE(json["codecs"].size() == codecs().size());
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == static_cast<long>(codecs().size()) + 1);
  for (std::size_t i = 0; i < codecs().size(); ++i) {
    const CodecInfo& codec = codecs()[i];
    CHECK(json["codecs"][i]["name"] == std::string(codec.name));
    CHECK(json["codecs"][i]["levels"].size() == codec.levels.size());
    CHECK(text.out.find('\n' + std::string(codec.name) + ' ') != std::string::npos);
  }
}

TEST_CASE("command codecs: --output replaces a file whole, keeps its directory clean and follows the umask") {
  const test::ScratchDirectory scratch;
  scratch.write("list", "old");
  const auto run = run_command({"codecs", "--output", scratch.path("list")});
  CHECK(run.status == 0);
  CHECK(run.out.empty());
  CHECK(test::read_text(scratch.path("list")) == run_command({"codecs"}).out);
  CHECK(std::distance(std::filesystem::directory_iterator(scratch.path()), {}) == 1);
  CHECK(run_command({"codecs", "--output", "/dev/null"}).status == 0);
  CHECK(std::filesystem::is_character_file("/dev/null"));
}

TEST_CASE("command estimate: the JSON has the keys of the contract, in its order, and integer sizes") {
  const test::ScratchDirectory scratch;
  scratch.write("data", std::string(200000, 'a'));
  const auto run = run_command(
      {"estimate", "--compression", "lz4,gzip", "--recordsize", "16K,128K", "--format", "json", scratch.path()});
  REQUIRE(run.status == 0);
  CHECK(run.err.empty());
  const auto json = Json::parse(run.out);
  REQUIRE(json.contains("versions"));
  CHECK(json["versions"].contains("blkpress"));
  REQUIRE(json["results"].size() == 4);
  const std::vector<std::string> contract = {"policy", "compression", "recordsize",    "ashift",
                                             "files",  "bytes",       "lsize",         "psize",
                                             "asize",  "ratio",       "compressratio", "reasons"};
  for (const auto& result : json["results"]) {
    std::vector<std::string> names;
    for (const auto& item : result.items()) names.push_back(item.key());
    REQUIRE(names.size() >= contract.size());
    CHECK(std::equal(contract.begin(), contract.end(), names.begin()));
    for (const char* key : {"recordsize", "ashift", "files", "bytes", "lsize", "psize", "asize"}) {
      CHECK(result[key].is_number_integer());
    }
    CHECK(result["policy"] == "zfs");
    CHECK(result["files"] == 1);
    CHECK(result["bytes"] == 200000);
    for (const auto& reason : result["reasons"].items()) {
      for (const auto& sum : reason.value().items()) CHECK(sum.value().is_number_integer());
    }
  }
  CHECK(json["results"][0]["compression"] == "lz4");
  CHECK(json["results"][1]["compression"] == "gzip");
  CHECK(json["results"][1]["properties"]["compression"] == "gzip-6");
  CHECK(json["results"][0]["recordsize"] == 16384);
  CHECK(json["results"][3]["recordsize"] == 131072);
}

TEST_CASE("command estimate: prints the same bytes for any number of threads, in every form") {
  const test::ScratchDirectory scratch;
  for (int i = 0; i < 40; ++i) {
    scratch.write("d" + std::to_string(i % 4) + "/f" + std::to_string(i),
                  std::string(static_cast<std::size_t>(i) * 9000, 'x'));
  }
  const std::string format = GENERATE("text", "json", "csv");
  const auto run = [&](const char* threads) {
    return run_command({"estimate", "--format", format, "--threads", threads, scratch.path()}).out;
  };
  const std::string one = run("1");
  CHECK_FALSE(one.empty());
  CHECK(run("2") == one);
  CHECK(run("9") == one);
}

TEST_CASE("command estimate: the table fits 120 columns and says why") {
  const test::ScratchDirectory scratch;
  scratch.write("text", std::string(500000, 'a'));
  const auto run = run_command({"estimate", "--exact-reasons", scratch.path()});
  REQUIRE(run.status == 0);
  CHECK(run.out.starts_with("1 file, 488K (500000 bytes)\n"));
  CHECK(run.out.find("why, by share of logical bytes:") != std::string::npos);
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 120);
  }
}

TEST_CASE("command estimate: volumes, vdevs and further properties reach the policy") {
  const test::ScratchDirectory scratch;
  std::string noise(256 << 10, '\0');
  for (std::size_t i = 0; i < noise.size(); ++i)
    noise[i] = static_cast<char>(i * 2654435761U >> 13 ^ i * i * 40503U >> 7);
  scratch.write("disk.img", noise);
  const auto result = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"estimate", "--format", "json", "--compression", "off"});
    arguments.push_back(scratch.path());
    const auto run = run_command(arguments);
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    return Json::parse(run.out)["results"][0];
  };
  const auto volume = result({"--as", "volume", "--recordsize", "8K"});
  CHECK(volume["recordsize"] == 8192);
  CHECK(volume["properties"]["layout"] == "volume");
  CHECK(volume["asize"] == 256 << 10);
  // zfs#4544: 8 KiB on raidz2 of 9 disks with 512-byte sectors allocates 12288.
  CHECK(result({"--as", "volume", "--recordsize", "8K", "--ashift", "9", "--vdev", "raidz2:9"})["asize"] == 32 * 12288);
  CHECK(result({"--recordsize", "128K", "--set", "copies=2,version=2.1"})["asize"] == 512 << 10);
}

TEST_CASE("command calibrate: is tried only through its help here, as it measures for minutes") {
  CHECK(run_command({"calibrate", "--help"}).status == 0);
}

TEST_CASE("command: a full or closed standard output is an error, not silence") {
  const auto full = run_command({"codecs"}, {.environment = {}, .standard_output = "/dev/full"});
  CHECK(full.status == 5);
  CHECK(full.err == "blkpress: cannot write to standard output: No space left on device\n");
  const auto help = run_command({"help"}, {.environment = {}, .standard_output = "/dev/full"});
  CHECK(help.status == 5);
}
