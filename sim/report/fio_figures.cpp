#include <fmt/format.h>

#include "report/fio_printed.hpp"

namespace blkpress::sim {

namespace {

using Figures = std::vector<FioFigure>;

// "140MiB/s" into "140" and "MiB/s".
FioFigure split(std::string metric, const std::string& printed) {
  const std::size_t end = printed.find_first_not_of("0123456789.");
  return {std::move(metric), printed.substr(0, end), end == std::string::npos ? "" : printed.substr(end)};
}

void add_latency(Figures& figures, std::string_view name, const FioMoments& ns) {
  if (ns.samples == 0) return;
  const FioSummary summary = fio_latency_summary(ns);
  const std::string unit(summary.unit);
  figures.push_back({fmt::format("fio.{}.min", name), fio_number(summary.min, 6, false, ""), unit});
  figures.push_back({fmt::format("fio.{}.max", name), fio_number(summary.max, 6, false, ""), unit});
  figures.push_back({fmt::format("fio.{}.avg", name), fmt::format("{:.2f}", summary.mean), unit});
  figures.push_back({fmt::format("fio.{}.stdev", name), fmt::format("{:.2f}", summary.stdev), unit});
}

void add_samples(Figures& figures, const FioDirectionResult& result) {
  if (result.bw_kib.samples == 0) return;
  const FioSummary bw = fio_bandwidth_summary(result.bw_kib);
  const std::string unit = fmt::format("{}/s", bw.unit);
  figures.push_back({"fio.bw_samples.min", fmt::format("{}", bw.min), unit});
  figures.push_back({"fio.bw_samples.max", fmt::format("{}", bw.max), unit});
  figures.push_back({"fio.bw_samples.avg", fmt::format("{:.2f}", bw.mean), unit});
  figures.push_back({"fio.bw_samples.stdev", fmt::format("{:.2f}", bw.stdev), unit});
  figures.push_back({"fio.bw_samples.per", fmt::format("{:.2f}", fio_bandwidth_percent(result)), "%"});
  figures.push_back({"fio.bw_samples.n", fmt::format("{}", result.bw_kib.samples), "samples"});
  figures.push_back({"fio.iops_samples.min", fmt::format("{}", result.iops.min), "IO/s"});
  figures.push_back({"fio.iops_samples.max", fmt::format("{}", result.iops.max), "IO/s"});
  figures.push_back({"fio.iops_samples.avg", fmt::format("{:.2f}", result.iops.mean), "IO/s"});
  figures.push_back({"fio.iops_samples.stdev", fmt::format("{:.2f}", result.iops.stdev()), "IO/s"});
  figures.push_back({"fio.iops_samples.n", fmt::format("{}", result.iops.samples), "samples"});
}

void add_direction(Figures& figures, const FioDirectionResult& result, bool percentiles, bool write) {
  const FioHeadline headline = fio_headline(result);
  figures.push_back({"fio.iops", headline.iops, "IO/s"});
  figures.push_back(split("fio.bw", headline.bandwidth));
  figures.push_back(split("fio.bw_decimal", headline.bandwidth_si));
  figures.push_back(split("fio.io_total", headline.total));
  figures.push_back({"fio.runtime", fmt::format("{}", result.runtime_ms), "msec"});
  if (write) figures.push_back({"fio.zone_resets", "0", ""});
  add_latency(figures, "clat", result.clat_ns);
  add_latency(figures, "lat", result.lat_ns);
  if (percentiles && result.clat_ns.samples != 0) {
    const FioPercentiles values = fio_percentiles(result.clat_histogram);
    for (std::size_t i = 0; i < kFioPercentiles.size(); ++i) {
      figures.push_back({fmt::format("fio.clat.p{:g}", kFioPercentiles[i] / 100.0), fmt::format("{}", values.values[i]),
                         std::string(values.unit)});
    }
  }
  add_samples(figures, result);
}

void add_depths(Figures& figures, std::string_view name, const std::array<std::string_view, 7>& bins,
                const FioDepthCounts& counts) {
  const std::array<double, 7> percent = fio_depth_percent(counts);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    figures.push_back({fmt::format("fio.{}.{}", name, bins[i]), fmt::format("{:.1f}", percent[i]), "%"});
  }
}

// The "Run status" line of a run with one group: its ranges are that group's own numbers.
void add_status(Figures& figures, const FioDirectionResult& result) {
  const FioHeadline headline = fio_headline(result);
  const FioFigure bw = split("fio.group.bw", headline.bandwidth);
  const FioFigure bw_decimal = split("fio.group.bw_decimal", headline.bandwidth_si);
  figures.push_back(bw);
  figures.push_back(bw_decimal);
  figures.push_back({"fio.group.bw_range", headline.bandwidth + "-" + headline.bandwidth, bw.unit});
  figures.push_back(
      {"fio.group.bw_range_decimal", headline.bandwidth_si + "-" + headline.bandwidth_si, bw_decimal.unit});
  figures.push_back(split("fio.group.io", headline.total));
  figures.push_back(split("fio.group.io_decimal", headline.total_si));
  figures.push_back({"fio.group.run_min", fmt::format("{}", result.runtime_ms), "msec"});
  figures.push_back({"fio.group.run_max", fmt::format("{}", result.runtime_ms), "msec"});
}

void add_disk(Figures& figures, const FioDisk& disk) {
  const auto add = [&](std::string_view name, std::string value, std::string unit) {
    figures.push_back({fmt::format("diskstat.{}.{}", disk.name, name), std::move(value), std::move(unit)});
  };
  const auto pair = [](const std::array<std::uint64_t, 2>& values) {
    return fmt::format("{}/{}", values[0], values[1]);
  };
  add("ios", pair(disk.ios), "read/write");
  add("merge", pair(disk.merges), "read/write");
  add("ticks", pair(disk.ticks_ms), "ms");
  add("in_queue", fmt::format("{}", disk.in_queue_ms), "ms");
  add("util", fmt::format("{:.2f}", disk.util_percent), "%");
  if (!disk.aggregate) return;
  add("aggrios", pair(disk.aggregate_ios), "read/write");
  add("aggrmerge", pair(disk.aggregate_merges), "read/write");
  add("aggrticks", pair(disk.aggregate_ticks_ms), "ms");
  add("aggrin_queue", fmt::format("{}", disk.aggregate_in_queue_ms), "ms");
  add("aggrutil", fmt::format("{:.2f}", disk.aggregate_util_percent), "%");
}

}  // namespace

std::vector<FioFigure> fio_figures(const FioGroup& group) {
  Figures figures;
  figures.push_back({"fio.jobs", fmt::format("{}", group.jobs), "jobs"});
  figures.push_back({"fio.err", "0", ""});
  figures.push_back({"fio.pid", fmt::format("{}", group.pid), ""});
  figures.push_back({"fio.end_time", group.end_time, "timestamp"});
  for (std::size_t i = 0; i < kFioDirections; ++i) {
    const bool write = i == static_cast<std::size_t>(FioDirection::write);
    if (group.directions[i].ios != 0) add_direction(figures, group.directions[i], group.percentiles, write);
  }
  for (const FioLatencyShare& share : fio_latency_shares(group)) {
    const std::string bound =
        share.bound[0] == '>' ? fmt::format("ge_{}", share.bound.substr(2)) : fmt::format("le_{}", share.bound);
    figures.push_back({fmt::format("fio.lat_hist.{}{}", bound, share.unit), fmt::format("{:.2f}", share.percent), "%"});
  }
  figures.push_back({"fio.cpu_usr", fmt::format("{:.2f}", fio_cpu_percent(group.user_ms, group)), "%"});
  figures.push_back({"fio.cpu_sys", fmt::format("{:.2f}", fio_cpu_percent(group.system_ms, group)), "%"});
  figures.push_back({"fio.ctx", fmt::format("{}", group.context_switches), "switches"});
  figures.push_back({"fio.majf", fmt::format("{}", group.major_faults), "faults"});
  figures.push_back({"fio.minf", fmt::format("{}", group.minor_faults), "faults"});
  add_depths(figures, "io_depths", kFioDepthNames, group.depths);
  // The names of the published figures spell the last bin of submit and complete ">=64" beside a "64".
  add_depths(figures, "submit", kFioBatchNames, group.submits);
  add_depths(figures, "complete", kFioBatchNames, group.completes);
  figures.push_back({"fio.issued.total(r,w,t,s)", fio_issued(group), "IOs"});
  figures.push_back({"fio.issued.short(r,w,t,s)", "0,0,0,0", "IOs"});
  figures.push_back({"fio.issued.dropped(r,w,t,s)", "0,0,0,0", "IOs"});
  figures.push_back({"fio.latency.target", "0", ""});
  figures.push_back({"fio.latency.window", "0", ""});
  figures.push_back({"fio.latency.percentile", "100.00", "%"});
  figures.push_back({"fio.latency.depth", fmt::format("{}", group.iodepth), ""});
  for (const FioDirectionResult& result : group.directions) {
    if (result.ios != 0) add_status(figures, result);
  }
  return figures;
}

std::vector<FioFigure> fio_figures(const FioRun& run) {
  Figures figures;
  if (!run.groups.empty()) {
    const std::string sizes =
        fio_number(run.header.block_min, 4, true, "B") + "-" + fio_number(run.header.block_max, 4, true, "B");
    std::uint32_t processes = 0;
    for (const FioGroup& group : run.groups) processes += group.jobs;
    figures.push_back({"fio.rw", run.header.rw, ""});
    for (std::string_view direction : {"R", "W", "T"})
      figures.push_back({fmt::format("fio.bs_{}", direction), sizes, ""});
    figures.push_back({"fio.ioengine", run.header.ioengine, ""});
    figures.push_back({"fio.iodepth", fmt::format("{}", run.groups.front().iodepth), ""});
    figures.push_back({"fio.version", run.header.version, ""});
    figures.push_back({"fio.processes", fmt::format("{}", processes), ""});
    figures.push_back({"fio.layout.files", fmt::format("{}", run.header.layout_files), "files"});
    figures.push_back({"fio.layout.size", fmt::format("{}", run.header.layout_bytes >> 20), "MiB"});
  }
  for (const FioGroup& group : run.groups) {
    for (FioFigure& figure : fio_figures(group)) figures.push_back(std::move(figure));
  }
  for (const FioDisk& disk : run.disks) add_disk(figures, disk);
  return figures;
}

}  // namespace blkpress::sim
