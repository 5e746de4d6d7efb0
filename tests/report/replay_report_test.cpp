#include "blkpress/sim/replay_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "blkpress/sim/table.hpp"
#include "support/catch.hpp"

using namespace blkpress::sim;

namespace {

Figure figure(FigureClass figure_class, std::string metric, std::string published, std::optional<std::string> simulated,
              Bar bar) {
  Figure result;
  result.experiment = "vps-zfs-fio";
  result.system = "a \"VPS\", rented";
  result.config = "write lz4";
  result.metric = std::move(metric);
  result.unit = "ms";
  result.published = std::move(published);
  result.simulated = std::move(simulated);
  result.figure_class = figure_class;
  result.bar = bar;
  judge(result);
  return result;
}

ReplayReport small_report() {
  const Bar percent{.kind = Bar::Kind::percent, .value = 5};
  ReplayReport report;
  report.figures = {
      figure(FigureClass::config, "jobs", "10", "10", {.kind = Bar::Kind::equal}),
      figure(FigureClass::prediction, "runtime", "100", "103", percent),
      figure(FigureClass::prediction, "clat.p99", "200", "300", percent),
      figure(FigureClass::prediction, "ctx", "5", std::nullopt, percent),
      figure(FigureClass::calibration, "ratio", "2.21", "2.21", {.kind = Bar::Kind::range, .low = 2, .high = 3}),
      figure(FigureClass::not_modelled, "pid", "3933293", "0", {})};
  report.figures[1].headline = true;
  report.figures[2].note = "stalls of the host are not modelled " + std::string(200, 'x');
  report.titles = {{"vps-zfs-fio", "fio on a rented machine"}};
  report.statements = {"calibrated: speed of the host, on the runtime of gzip", "sampled: 1 of 64 records"};
  report.versions = {{"blkpress", "0.1.0"}, {"zlib", "1.2.13"}};
  report.seed = 7;
  report.digest = "0123456789abcdef";
  report.events = 42;
  return report;
}

std::vector<std::string> keys(const nlohmann::ordered_json& json) {
  std::vector<std::string> names;
  for (const auto& item : json.items()) names.push_back(item.key());
  return names;
}

}  // namespace

TEST_CASE("replay report: a class is counted as inside, outside, not judged and not simulated") {
  const ReplayReport report = small_report();
  const ClassCounts counts = count_class(report.figures, FigureClass::prediction);
  CHECK(counts.figures == 3);
  CHECK(counts.inside == 1);
  CHECK(counts.outside == 1);
  CHECK(counts.not_judged == 0);
  CHECK(counts.not_simulated == 1);
  CHECK(count_class(report.figures, FigureClass::not_modelled).not_judged == 1);
  CHECK(calibrated_parameters(report.statements) == 1);
}

TEST_CASE("replay report: the JSON has the keys of the contract, in its order") {
  const auto json = nlohmann::ordered_json::parse(replay_json(small_report()));
  CHECK(keys(json) == std::vector<std::string>{"figures", "summary", "seed", "digest", "versions"});
  const auto& first = json["figures"][1];
  const std::vector<std::string> contract = {"experiment", "system", "config",        "metric", "unit", "published",
                                             "simulated",  "class",  "error_percent", "bar",    "pass"};
  const auto names = keys(first);
  REQUIRE(names.size() >= contract.size());
  CHECK(std::equal(contract.begin(), contract.end(), names.begin()));
  CHECK(first["published"] == "100");
  CHECK(first["simulated"] == "103");
  CHECK(first["class"] == "prediction");
  CHECK(first["error_percent"] == 3.0);
  CHECK(first["bar"]["kind"] == "percent");
  CHECK(first["bar"]["value"] == 5.0);
  CHECK(first["pass"] == true);
  CHECK(json["figures"][3]["simulated"].is_null());
  CHECK(json["figures"][3]["pass"].is_null());
  CHECK(json["figures"][4]["bar"]["value"] == nlohmann::ordered_json::array({2.0, 3.0}));
  CHECK(json["figures"][0]["bar"]["value"].is_null());
  CHECK(json["summary"]["classes"]["prediction"]["inside"] == 1);
  CHECK(json["seed"] == 7);
  CHECK(json["versions"]["zlib"] == "1.2.13");
}

TEST_CASE("replay report: the text puts headlines first, then misses with their reasons, within 120 columns") {
  const bool all = GENERATE(false, true);
  const std::string text = replay_text(small_report(), {.all_figures = all});
  const auto headlines = text.find("Headline predictions");
  const auto misses = text.find("Misses: 1");
  const auto reason = text.find("stalls of the host");
  const auto summary = text.find("Summary");
  REQUIRE(headlines != std::string::npos);
  CHECK(headlines < misses);
  CHECK(misses < reason);
  CHECK(reason < summary);
  CHECK(text.find("calibrated parameters: 1") != std::string::npos);
  CHECK((text.find("3933293") != std::string::npos) == all);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    if (line.find("xxxx") == std::string::npos) CHECK(display_width(line) <= 120);
  }
}

TEST_CASE("replay report: CSV has one line for each figure and one for the titles") {
  const std::string csv = replay_csv(small_report());
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 7);
  CHECK(csv.find("\"a \"\"VPS\"\", rented\"") != std::string::npos);
  CHECK(csv.find("vps-zfs-fio,\"a \"\"VPS\"\", rented\",write lz4,runtime,ms,100,103,prediction,3.0000,percent,5,true,"
                 "true,,\n") != std::string::npos);
}

TEST_CASE("replay report: the range over seeds keeps the printed strings and counts the passes") {
  const Bar percent{.kind = Bar::Kind::percent, .value = 5};
  std::vector<std::vector<Figure>> runs;
  for (const char* simulated : {"103", "97", "110"}) {
    runs.push_back({figure(FigureClass::prediction, "runtime", "100", simulated, percent)});
  }
  const auto ranges = seed_ranges(runs);
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0].low == "97");
  CHECK(ranges[0].high == "110");
  CHECK(ranges[0].passed == 2);
}
