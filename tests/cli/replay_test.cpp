// The replay command on the project's own experiments.
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "blkpress/sim/table.hpp"
#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using test::run_command;
using Json = nlohmann::ordered_json;

TEST_CASE("command replay: lists the experiments, one line each") {
  const auto run = run_command({"replay", "--list"});
  CHECK(run.status == 0);
  CHECK(run.out.find("freebsd-zfs-dd") != std::string::npos);
  CHECK(run.out.find("vps-zfs-fio") != std::string::npos);
}

TEST_CASE("command replay: the JSON is the same twice, and holds to the contract") {
  const auto first = run_command({"replay", "--all", "--format", "json"});
  REQUIRE(first.status == 0);
  CHECK(first.err.empty());
  CHECK(run_command({"replay", "--all", "--format", "json"}).out == first.out);
  const auto json = Json::parse(first.out);
  const std::set<std::string> classes = {"config",     "identity",        "derived",     "calibration",
                                         "prediction", "prediction-weak", "not-modelled"};
  const std::set<std::string> kinds = {"percent", "absolute", "buckets", "equal", "range", "none"};
  int malformed = 0;
  for (const auto& figure : json["figures"]) {
    const bool sound = figure["published"].is_string() &&
                       (figure["simulated"].is_string() || figure["simulated"].is_null()) &&
                       classes.contains(figure["class"].get<std::string>()) &&
                       kinds.contains(figure["bar"]["kind"].get<std::string>()) &&
                       (figure["pass"].is_boolean() || figure["pass"].is_null()) &&
                       (figure["error_percent"].is_number() || figure["error_percent"].is_null());
    if (!sound) ++malformed;
  }
  CHECK(malformed == 0);
  CHECK(json["figures"].size() > 300);
  CHECK(json["seed"] == 1);
  CHECK(json["digest"].get<std::string>().size() == 16);
}

TEST_CASE("command replay: text and CSV come from the same figures, and the text fits 120 columns") {
  const auto csv = run_command({"replay", "freebsd-zfs-dd", "--format", "csv"});
  REQUIRE(csv.status == 0);
  CHECK(csv.out.starts_with("experiment,system,config,metric,unit,published,simulated,class,error_percent,"));
  const auto text = run_command({"replay", "freebsd-zfs-dd", "--all-figures"});
  REQUIRE(text.status == 0);
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(sim::display_width(line) <= 120);
  }
  CHECK(run_command({"replay", "freebsd-zfs-dd", "--verbose"}).out == text.out);
}

TEST_CASE("command replay: data is found by --data, then by BLKPRESS_DATA") {
  const test::ScratchDirectory scratch;
  const auto missing = run_command({"replay", "--list", "--data", scratch.path("none")});
  CHECK(missing.status == 3);
  CHECK(missing.err == "blkpress: --data " + scratch.path("none") + ": no such directory\n");
  const test::RunOptions environment{.environment = {{"BLKPRESS_DATA", scratch.path("gone")}}, .standard_output = {}};
  const auto gone = run_command({"replay", "--list"}, environment);
  CHECK(gone.status == 3);
  CHECK(gone.err == "blkpress: BLKPRESS_DATA=" + scratch.path("gone") + ": no such directory\n");
  CHECK(run_command({"replay", "--list", "--data", std::string(BLKPRESS_SOURCE_DIR) + "/data"}, environment).status ==
        0);
}

TEST_CASE("command replay: --fio-json prints each run as fio's JSON would, that of the same run as --outputs") {
  const auto run = run_command({"replay", "vps-zfs-fio", "--fio-json"});
  REQUIRE(run.status == 0);
  const std::string head = "== vps-zfs-fio: write lz4\n";
  const std::size_t begin = run.out.find(head);
  REQUIRE(begin != std::string::npos);
  const std::size_t end = run.out.find("\n}\n", begin) + 3;
  const auto json = Json::parse(run.out.substr(begin + head.size(), end - begin - head.size()));
  CHECK(json["fio version"] == "fio-3.29");
  const Json& job = json["jobs"][0];
  CHECK(job["write"]["total_ios"] == 81920);  // ten files of 1 GiB in records of 128 KiB
  CHECK(job["job options"]["rw"] == "write");
  const auto normal = run_command({"replay", "vps-zfs-fio", "--outputs"});
  const std::string text = normal.out.substr(normal.out.find(head), 2000);
  CHECK(text.find("/" + std::to_string(job["write"]["runtime"].get<std::uint64_t>()) + "msec)") != std::string::npos);
  CHECK(text.find("ctx=" + std::to_string(job["ctx"].get<std::uint64_t>()) + ",") != std::string::npos);
}
