// fio's JSON output, laid out as fio 3.33 prints it: keys, their order, indentation, and six decimals for what is not
// whole. It is written by hand because no library prints "key" : value so.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/fio_printed.hpp"

namespace blkpress::sim {

namespace {

constexpr std::string_view kEpoch = "Thu Jan  1 00:00:00 1970";

// fio's estimate of the time to go, once there is none: INT_MAX.
constexpr std::uint64_t kNoEta = 2147483647;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

// Appends members to objects and elements to lists, two spaces deeper each.
class JsonText {
 public:
  void begin(std::string_view key, char bracket) {
    if (key.empty()) {
      element();
    } else {
      member(key);
    }
    text_ += bracket;
    ++depth_;
    first_ = true;
  }
  void end(char bracket) {
    --depth_;
    if (!first_) line();
    text_ += bracket;
    first_ = false;
  }
  void add(std::string_view key, std::uint64_t value) { member(key), text_ += fmt::format("{}", value); }
  void add(std::string_view key, double value) { member(key), text_ += fmt::format("{:.6f}", value); }
  void add(std::string_view key, std::string_view value) { member(key), text_ += quoted(value); }
  [[nodiscard]] std::string text() const { return text_ + '\n'; }

 private:
  void line() { text_ += '\n' + std::string(2 * depth_, ' '); }
  void element() {
    if (depth_ == 0) return;
    if (!first_) text_ += ',';
    line();
    first_ = false;
  }
  void member(std::string_view key) {
    element();
    text_ += quoted(key) + " : ";
  }

  std::string text_;
  std::size_t depth_ = 0;
  bool first_ = true;
};

void add_options(JsonText& json, std::string_view key, const FioOptionList& options) {
  json.begin(key, '{');
  for (const auto& [name, value] : options) json.add(name, value);
  json.end('}');
}

void add_latency(JsonText& json, std::string_view key, const FioMoments& ns, const LogHistogram* histogram = nullptr) {
  json.begin(key, '{');
  json.add("min", ns.min);
  json.add("max", ns.max);
  json.add("mean", ns.mean);
  json.add("stddev", ns.stdev());
  json.add("N", ns.samples);
  if (histogram != nullptr && ns.samples != 0) {
    json.begin("percentile", '{');
    for (const std::uint32_t point : kFioPercentiles) {
      json.add(fmt::format("{:.6f}", point / 100.0), histogram->percentile(point));
    }
    json.end('}');
  }
  json.end('}');
}

void add_direction(JsonText& json, std::string_view key, const FioDirectionResult& result, bool percentiles) {
  const std::uint64_t rate = fio_bytes_per_second(result);
  json.begin(key, '{');
  json.add("io_bytes", result.bytes);
  json.add("io_kbytes", result.bytes / 1024);
  json.add("bw_bytes", rate);
  json.add("bw", rate / 1024);
  json.add("iops", result.runtime_ms == 0
                       ? 0.0
                       : 1000.0 * static_cast<double>(result.ios) / static_cast<double>(result.runtime_ms));
  json.add("runtime", result.runtime_ms);
  json.add("total_ios", result.ios);
  json.add("short_ios", std::uint64_t{0});
  json.add("drop_ios", std::uint64_t{0});
  // Submission takes no time of its own: what it costs is part of lat.
  add_latency(json, "slat_ns", {});
  add_latency(json, "clat_ns", result.clat_ns, percentiles ? &result.clat_histogram : nullptr);
  add_latency(json, "lat_ns", result.lat_ns);
  json.add("bw_min", result.bw_kib.min);
  json.add("bw_max", result.bw_kib.max);
  json.add("bw_agg", result.bw_kib.samples == 0 ? 0.0 : fio_bandwidth_percent(result));
  json.add("bw_mean", result.bw_kib.mean);
  json.add("bw_dev", result.bw_kib.stdev());
  json.add("bw_samples", result.bw_kib.samples);
  json.add("iops_min", result.iops.min);
  json.add("iops_max", result.iops.max);
  json.add("iops_mean", result.iops.mean);
  json.add("iops_stddev", result.iops.stdev());
  json.add("iops_samples", result.iops.samples);
  json.end('}');
}

void add_depths(JsonText& json, std::string_view key, const std::array<std::string_view, 7>& names,
                const FioDepthCounts& counts) {
  const std::array<double, 7> percent = fio_depth_percent(counts);
  json.begin(key, '{');
  for (std::size_t i = 0; i < names.size(); ++i) json.add(names[i], percent[i]);
  json.end('}');
}

void add_latency_shares(JsonText& json, const FioGroup& group) {
  std::string_view unit;
  for (const FioLatencyShare& share : fio_latency_shares(group)) {
    if (share.unit != unit) {
      if (!unit.empty()) json.end('}');
      unit = share.unit;
      json.begin(unit == "nsec" ? "latency_ns" : unit == "usec" ? "latency_us" : "latency_ms", '{');
    }
    json.add(share.bound, share.percent);
  }
  json.end('}');
}

void add_group(JsonText& json, const FioGroup& group) {
  std::uint64_t runtime_ms = 0;
  for (const FioDirectionResult& result : group.directions) runtime_ms = std::max(runtime_ms, result.runtime_ms);
  json.begin("", '{');
  json.add("jobname", group.name);
  json.add("groupid", std::uint64_t{group.group_id});
  json.add("error", std::uint64_t{0});
  json.add("eta", kNoEta);
  // Whole seconds, begun ones counted; fio's own start-up takes no time here.
  json.add("elapsed", (runtime_ms + 999) / 1000);
  add_options(json, "job options", group.options);
  for (std::size_t i = 0; i < kFioDirections; ++i) {
    add_direction(json, kFioDirectionNames[i], group.directions[i], group.percentiles);
  }
  json.begin("sync", '{');
  json.add("total_ios", std::uint64_t{0});
  add_latency(json, "lat_ns", {});
  json.end('}');
  json.add("job_runtime", group.total_runtime_ms);
  json.add("usr_cpu", fio_cpu_percent(group.user_ms, group));
  json.add("sys_cpu", fio_cpu_percent(group.system_ms, group));
  json.add("ctx", group.context_switches);
  json.add("majf", group.major_faults);
  json.add("minf", group.minor_faults);
  add_depths(json, "iodepth_level", kFioDepthNames, group.depths);
  add_depths(json, "iodepth_submit", kFioBatchNames, group.submits);
  add_depths(json, "iodepth_complete", kFioBatchNames, group.completes);
  add_latency_shares(json, group);
  json.add("latency_depth", std::uint64_t{group.iodepth});
  json.add("latency_target", std::uint64_t{0});
  json.add("latency_percentile", 100.0);
  json.add("latency_window", std::uint64_t{0});
  json.end('}');
}

void add_disk(JsonText& json, const FioDisk& disk) {
  json.begin("", '{');
  json.add("name", disk.name);
  json.add("read_ios", disk.ios[0]);
  json.add("write_ios", disk.ios[1]);
  json.add("read_merges", disk.merges[0]);
  json.add("write_merges", disk.merges[1]);
  json.add("read_ticks", disk.ticks_ms[0]);
  json.add("write_ticks", disk.ticks_ms[1]);
  json.add("in_queue", disk.in_queue_ms);
  json.add("util", disk.util_percent);
  if (disk.aggregate) {
    json.add("aggr_read_ios", disk.aggregate_ios[0]);
    json.add("aggr_write_ios", disk.aggregate_ios[1]);
    json.add("aggr_read_merges", disk.aggregate_merges[0]);
    // So spelled by fio.
    json.add("aggr_write_merge", disk.aggregate_merges[1]);
    json.add("aggr_read_ticks", disk.aggregate_ticks_ms[0]);
    json.add("aggr_write_ticks", disk.aggregate_ticks_ms[1]);
    json.add("aggr_in_queue", disk.aggregate_in_queue_ms);
    json.add("aggr_util", disk.aggregate_util_percent);
  }
  json.end('}');
}

}  // namespace

std::string fio_run_json(const FioRun& run) {
  std::string_view time = run.groups.empty() ? std::string_view() : run.groups.front().end_time;
  if (time.empty()) time = kEpoch;
  JsonText json;
  json.begin("", '{');
  json.add("fio version", "fio-" + run.header.version);
  json.add("timestamp", run.header.timestamp_ms / 1000);
  json.add("timestamp_ms", run.header.timestamp_ms);
  json.add("time", time);
  if (!run.header.global_options.empty()) add_options(json, "global options", run.header.global_options);
  json.begin("jobs", '[');
  for (const FioGroup& group : run.groups) add_group(json, group);
  json.end(']');
  if (!run.disks.empty()) {
    json.begin("disk_util", '[');
    for (const FioDisk& disk : run.disks) add_disk(json, disk);
    json.end(']');
  }
  json.end('}');
  return json.text();
}

}  // namespace blkpress::sim
