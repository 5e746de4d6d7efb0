// fio's JSON output: the numbers of a real run go in, the text that fio printed comes out; and a tiny job by hand.
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "blkpress/sim/fio_statistics.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using namespace blkpress::sim;
using Json = nlohmann::ordered_json;

namespace {

FioMoments moments(const Json& json) {
  const auto samples = json["N"].get<std::uint64_t>();
  const auto stdev = json["stddev"].get<double>();
  return {samples, json["min"], json["max"], json["mean"],
          samples == 0 ? 0 : stdev * stdev * static_cast<double>(samples - 1)};
}

FioMoments sampled(const Json& json, const std::string& name, const std::string& deviation) {
  const auto samples = json[name + "_samples"].get<std::uint64_t>();
  const auto stdev = json[name + deviation].get<double>();
  return {samples, json[name + "_min"], json[name + "_max"], json[name + "_mean"],
          samples == 0 ? 0 : stdev * stdev * static_cast<double>(samples - 1)};
}

FioDirectionResult direction(const Json& json) {
  FioDirectionResult result{json["total_ios"],
                            json["io_bytes"],
                            json["runtime"],
                            moments(json["clat_ns"]),
                            moments(json["lat_ns"]),
                            sampled(json, "bw", "_dev"),
                            sampled(json, "iops", "_stddev"),
                            {}};
  if (json["clat_ns"].contains("bins")) {
    for (const auto& [ns, count] : json["clat_ns"]["bins"].items()) {
      result.clat_histogram.add(std::stoull(ns), count.get<std::uint64_t>());
    }
  }
  return result;
}

std::uint64_t count_of(const Json& percent, std::uint64_t total) {
  return static_cast<std::uint64_t>(std::llround(percent.get<double>() / 100 * static_cast<double>(total)));
}

template <std::size_t n>
void fill(std::array<std::uint64_t, n>& counts, const Json& shares, std::uint64_t total) {
  std::size_t i = 0;
  for (const auto& item : shares.items()) counts[i++] = count_of(item.value(), total);
}

FioOptionList options(const Json& json) {
  FioOptionList result;
  for (const auto& [name, value] : json.items()) result.emplace_back(name, value.get<std::string>());
  return result;
}

FioGroup group(const Json& json, std::uint32_t jobs) {
  FioGroup result;
  result.name = json["jobname"];
  result.group_id = json["groupid"];
  result.iodepth = json["latency_depth"];
  result.options = options(json["job options"]);
  result.jobs = jobs;
  result.directions = {direction(json["read"]), direction(json["write"]), direction(json["trim"])};
  const std::uint64_t ios = result.directions[0].ios + result.directions[1].ios;
  fill(result.bins.nsec, json["latency_ns"], ios);
  fill(result.bins.usec, json["latency_us"], ios);
  fill(result.bins.msec, json["latency_ms"], ios);
  fill(result.depths, json["iodepth_level"], ios);
  fill(result.submits, json["iodepth_submit"], ios);
  fill(result.completes, json["iodepth_complete"], ios);
  result.total_runtime_ms = json["job_runtime"];
  result.user_ms = count_of(json["usr_cpu"], result.total_runtime_ms);
  result.system_ms = count_of(json["sys_cpu"], result.total_runtime_ms);
  result.context_switches = json["ctx"];
  result.major_faults = json["majf"];
  result.minor_faults = json["minf"];
  return result;
}

// The golden is of json+, which is json with the bins behind the percentiles.
std::string without_bins(std::string text) {
  const std::size_t begin = text.find(",\n          \"bins\" : {");
  const std::size_t end = text.find("          }\n", begin + 20) + std::string("          }").size();
  return text.erase(begin, end - begin);
}

}  // namespace

TEST_CASE("fio JSON: the output of a real fio 3.33, byte for byte, from its numbers") {
  const std::string printed = test::read_text(std::string(BLKPRESS_GOLDEN_DIR) + "/fio_3.33_seqread.jsonplus.txt");
  const Json json = Json::parse(printed);
  FioRun run;
  run.header.version = "3.33";
  run.header.timestamp_ms = json["timestamp_ms"];
  run.groups.push_back(group(json["jobs"][0], 10));
  run.groups[0].end_time = json["time"];
  const Json& disk = json["disk_util"][0];
  run.disks.push_back({.name = disk["name"],
                       .ios = {disk["read_ios"], disk["write_ios"]},
                       .merges = {disk["read_merges"], disk["write_merges"]},
                       .ticks_ms = {disk["read_ticks"], disk["write_ticks"]},
                       .in_queue_ms = disk["in_queue"],
                       .util_percent = disk["util"]});
  std::string expected = without_bins(printed);
  // fio's own start-up took some of the second second.
  const std::string elapsed = "\"elapsed\" : 2";
  REQUIRE(expected.find(elapsed) != std::string::npos);
  expected.replace(expected.find(elapsed), elapsed.size(), "\"elapsed\" : 1");
  CHECK(fio_run_json(run) == expected);
}

TEST_CASE("fio JSON: the numbers of a tiny job, by hand") {
  // Three writes of 4096 bytes take 1, 2 and 3 ms, one after another, and the job another 1500 ms.
  FioJobStatistics job({.start = Instant{}});
  Instant now{};
  for (const int ms : {1, 2, 3}) {
    job.record(FioDirection::write, now, now + milliseconds(ms), 4096);
    now = now + milliseconds(ms);
  }
  job.add_cpu(milliseconds(3), milliseconds(753));
  job.add_context_switches(7);
  job.finish(now + milliseconds(1500));
  FioRun run;
  run.groups.push_back(fio_group(std::span(&job, 1)));
  run.groups[0].name = "tiny \"job\"";
  run.groups[0].options = {{"rw", "write"}, {"group_reporting", ""}};
  const Json json = Json::parse(fio_run_json(run));
  CHECK(json["timestamp"] == 0);
  CHECK(json["time"] == "Thu Jan  1 00:00:00 1970");
  CHECK_FALSE(json.contains("global options"));
  CHECK_FALSE(json.contains("disk_util"));
  const Json& one = json["jobs"][0];
  CHECK(one["jobname"] == "tiny \"job\"");
  CHECK(one["job options"].dump() == R"({"rw":"write","group_reporting":""})");
  CHECK(one["elapsed"] == 2);  // 1506 ms
  const Json& write = one["write"];
  CHECK(write["io_bytes"] == 12288);
  CHECK(write["io_kbytes"] == 12);
  CHECK(write["runtime"] == 1506);
  CHECK(write["bw_bytes"] == 8159);  // 12288 / 1.506
  CHECK(write["bw"] == 7);
  CHECK(write["iops"].get<double>() == Approx(1.992032).epsilon(1e-9));  // 3 / 1.506, six decimals
  CHECK(write["clat_ns"]["min"] == 1000000);
  CHECK(write["clat_ns"]["max"] == 3000000);
  CHECK(write["clat_ns"]["mean"] == 2000000.0);
  CHECK(write["clat_ns"]["stddev"] == 1000000.0);
  CHECK(write["clat_ns"]["N"] == 3);
  // In ns, from buckets of a 64th of a power of two: 1, 2, 3 ms are in [999424, 1007616), [1998848, 2015232) and
  // [2981888, 3014656); a bucket is told by its middle.
  CHECK(write["clat_ns"]["percentile"]["1.000000"] == 1003520);
  CHECK(write["clat_ns"]["percentile"]["50.000000"] == 2007040);
  CHECK(write["clat_ns"]["percentile"]["99.990000"] == 2998272);
  // One sample, of the first half second: 12288 * 1000 / 500 / 1024 KiB/s, 6 IOPS. That is 24 of 7: at most 100 %.
  CHECK(write["bw_min"] == 24);
  CHECK(write["bw_samples"] == 1);
  CHECK(write["bw_agg"] == 100.0);
  CHECK(write["iops_mean"] == 6.0);
  CHECK_FALSE(one["read"]["clat_ns"].contains("percentile"));
  CHECK(one["usr_cpu"].get<double>() == Approx(0.199203).epsilon(1e-9));  // 3 / 1506
  CHECK(one["sys_cpu"] == 50.0);
  CHECK(one["ctx"] == 7);
  CHECK(one["latency_ms"]["2"].get<double>() == Approx(33.333333).epsilon(1e-9));
  CHECK(one["latency_ms"]["4"].get<double>() == Approx(66.666667).epsilon(1e-9));
  CHECK(one["iodepth_level"]["1"] == 100.0);
}
