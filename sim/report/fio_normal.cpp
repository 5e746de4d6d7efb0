#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/fio_printed.hpp"

namespace blkpress::sim {

namespace {

using Out = std::back_insert_iterator<std::string>;

void append_latency(Out out, std::string_view name, const FioMoments& ns) {
  if (ns.samples == 0) return;
  const FioSummary summary = fio_latency_summary(ns);
  fmt::format_to(out, "    {} ({}): min={}, max={}, avg={:5.2f}, stdev={:5.2f}\n", name, summary.unit,
                 fio_number(summary.min, 6, false, ""), fio_number(summary.max, 6, false, ""), summary.mean,
                 summary.stdev);
}

// Columns are as wide as the largest value asks for; a line holds what fits into 80.
void append_percentiles(Out out, const LogHistogram& ns) {
  const FioPercentiles percentiles = fio_percentiles(ns);
  const std::size_t width = std::max<std::size_t>(5, fmt::formatted_size("{}", percentiles.values.back()));
  const std::size_t per_line = (80 - 7) / (12 + width);
  fmt::format_to(out, "    clat percentiles ({}):\n     |", percentiles.unit);
  for (std::size_t i = 0; i < kFioPercentiles.size(); ++i) {
    if (i != 0 && i % per_line == 0) fmt::format_to(out, "     |");
    const bool last = i + 1 == kFioPercentiles.size();
    fmt::format_to(out, " {:5.2f}th=[{:{}}]{}", kFioPercentiles[i] / 100.0, percentiles.values[i], width,
                   last ? "\n" : ",");
    if (!last && i % per_line == per_line - 1) fmt::format_to(out, "\n");
  }
}

void append_direction(Out out, const FioGroup& group, std::size_t direction) {
  const FioDirectionResult& result = group.directions[direction];
  if (result.runtime_ms == 0) return;
  const FioHeadline headline = fio_headline(result);
  fmt::format_to(out, "  {}: IOPS={}, BW={} ({})({}/{}msec){}\n", kFioDirectionNames[direction], headline.iops,
                 headline.bandwidth, headline.bandwidth_si, headline.total, result.runtime_ms,
                 direction == static_cast<std::size_t>(FioDirection::write) ? "; 0 zone resets" : "");
  append_latency(out, "clat", result.clat_ns);
  append_latency(out, " lat", result.lat_ns);
  if (group.percentiles && result.clat_ns.samples != 0) append_percentiles(out, result.clat_histogram);
  if (result.bw_kib.samples == 0) return;
  const FioSummary bw = fio_bandwidth_summary(result.bw_kib);
  fmt::format_to(out, "   bw ({:>5}/s): min={:5}, max={:5}, per={:.2f}%, avg={:5.2f}, stdev={:5.2f}, samples={}\n",
                 bw.unit, bw.min, bw.max, fio_bandwidth_percent(result), bw.mean, bw.stdev, result.bw_kib.samples);
  fmt::format_to(out, "   iops        : min={:5}, max={:5}, avg={:5.2f}, stdev={:5.2f}, samples={}\n", result.iops.min,
                 result.iops.max, result.iops.mean, result.iops.stdev(), result.iops.samples);
}

// Five shares a line; what is zero is left out.
void append_latency_shares(Out out, const FioGroup& group) {
  std::string_view unit;
  std::size_t on_line = 0;
  for (const FioLatencyShare& share : fio_latency_shares(group)) {
    if (share.percent == 0) continue;
    if (share.unit != unit || on_line == 5) {
      if (!unit.empty()) fmt::format_to(out, "\n");
      fmt::format_to(out, "  lat ({})   : ", share.unit);
      unit = share.unit;
      on_line = 0;
    }
    fmt::format_to(out, "{}{}={:.2f}%", on_line == 0 ? "" : ", ", share.bound, share.percent);
    ++on_line;
  }
  if (!unit.empty()) fmt::format_to(out, "\n");
}

void append_depths(Out out, std::string_view title, const std::array<std::string_view, 7>& names,
                   const FioDepthCounts& counts) {
  const std::array<double, 7> percent = fio_depth_percent(counts);
  fmt::format_to(out, "{}:", title);
  for (std::size_t i = 0; i < names.size(); ++i) {
    fmt::format_to(out, "{} {}={:.1f}%", i == 0 ? "" : ",", names[i], percent[i]);
  }
  fmt::format_to(out, "\n");
}

void append_header(Out out, const FioHeader& header, const FioGroup& group) {
  const std::string sizes =
      fio_number(header.block_min, 4, true, "B") + "-" + fio_number(header.block_max, 4, true, "B");
  fmt::format_to(out, "{}: (g={}): rw={}, bs=(R) {}, (W) {}, (T) {}, ioengine={}, iodepth={}\n", group.name,
                 group.group_id, header.rw, sizes, sizes, sizes, header.ioengine, group.iodepth);
  if (group.jobs > 1) fmt::format_to(out, "...\n");
}

// One line for each direction of each group of jobs.
void append_status(Out out, const FioRun& run, std::uint32_t group_id) {
  fmt::format_to(out, "\nRun status group {} (all jobs):\n", group_id);
  constexpr std::array<std::string_view, kFioDirections> kNames = {"   READ", "  WRITE", "   TRIM"};
  for (std::size_t direction = 0; direction < kFioDirections; ++direction) {
    FioDirectionResult total;
    std::uint64_t least_rate = UINT64_MAX;
    std::uint64_t most_rate = 0;
    std::uint64_t least_run = UINT64_MAX;
    for (const FioGroup& group : run.groups) {
      const FioDirectionResult& result = group.directions[direction];
      if (group.group_id != group_id || result.runtime_ms == 0) continue;
      total.bytes += result.bytes;
      total.runtime_ms = std::max(total.runtime_ms, result.runtime_ms);
      least_run = std::min(least_run, result.runtime_ms);
      least_rate = std::min(least_rate, fio_bytes_per_second(result));
      most_rate = std::max(most_rate, fio_bytes_per_second(result));
    }
    if (total.runtime_ms == 0) continue;
    const FioHeadline headline = fio_headline(total);
    fmt::format_to(out, "{}: bw={} ({}), {}-{} ({}-{}), io={} ({}), run={}-{}msec\n", kNames[direction],
                   headline.bandwidth, headline.bandwidth_si, fio_number(least_rate, 4, true, "B/s"),
                   fio_number(most_rate, 4, true, "B/s"), fio_number(least_rate, 4, false, "B/s"),
                   fio_number(most_rate, 4, false, "B/s"), headline.total, headline.total_si, least_run,
                   total.runtime_ms);
  }
}

void append_disk(Out out, const FioDisk& disk) {
  fmt::format_to(out, "{}  {}: ios={}/{}, merge={}/{}, ticks={}/{}, in_queue={}, util={:.2f}%",
                 disk.aggregate ? "  " : "", disk.name, disk.ios[0], disk.ios[1], disk.merges[0], disk.merges[1],
                 disk.ticks_ms[0], disk.ticks_ms[1], disk.in_queue_ms, disk.util_percent);
  if (disk.aggregate) {
    fmt::format_to(out, ", aggrios={}/{}, aggrmerge={}/{}, aggrticks={}/{}, aggrin_queue={}, aggrutil={:.2f}%",
                   disk.aggregate_ios[0], disk.aggregate_ios[1], disk.aggregate_merges[0], disk.aggregate_merges[1],
                   disk.aggregate_ticks_ms[0], disk.aggregate_ticks_ms[1], disk.aggregate_in_queue_ms,
                   disk.aggregate_util_percent);
  }
  fmt::format_to(out, "\n");
}

}  // namespace

std::string fio_group_text(const FioGroup& group) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "{}: (groupid={}, jobs={}): err= 0: pid={}: {}\n", group.name, group.group_id, group.jobs,
                 group.pid, group.end_time.empty() ? "Thu Jan  1 00:00:00 1970" : group.end_time);
  for (std::size_t i = 0; i < kFioDirections; ++i) append_direction(out, group, i);
  append_latency_shares(out, group);
  fmt::format_to(out, "  cpu          : usr={:.2f}%, sys={:.2f}%, ctx={}, majf={}, minf={}\n",
                 fio_cpu_percent(group.user_ms, group), fio_cpu_percent(group.system_ms, group), group.context_switches,
                 group.major_faults, group.minor_faults);
  append_depths(out, "  IO depths    ", kFioDepthNames, group.depths);
  append_depths(out, "     submit    ", kFioBatchNames, group.submits);
  append_depths(out, "     complete  ", kFioBatchNames, group.completes);
  fmt::format_to(out, "     issued rwts: total={} short=0,0,0,0 dropped=0,0,0,0\n", fio_issued(group));
  fmt::format_to(out, "     latency   : target=0, window=0, percentile=100.00%, depth={}\n", group.iodepth);
  return text;
}

std::string fio_run_text(const FioRun& run) {
  std::string text;
  const Out out(text);
  std::uint32_t processes = 0;
  for (const FioGroup& group : run.groups) {
    append_header(out, run.header, group);
    processes += group.jobs;
  }
  fmt::format_to(out, "fio-{}\nStarting {} process{}\n", run.header.version, processes, processes == 1 ? "" : "es");
  if (run.header.layout_files != 0) {
    for (const FioGroup& group : run.groups) {
      for (std::uint32_t job = 0; job < group.jobs; ++job) {
        fmt::format_to(out, "{}: Laying out IO file ({} file{} / {}MiB)\n", group.name, run.header.layout_files,
                       run.header.layout_files == 1 ? "" : "s", run.header.layout_bytes >> 20);
      }
    }
  }
  for (const FioGroup& group : run.groups) fmt::format_to(out, "\n{}", fio_group_text(group));
  std::vector<std::uint32_t> printed;
  for (const FioGroup& group : run.groups) {
    if (std::find(printed.begin(), printed.end(), group.group_id) != printed.end()) continue;
    printed.push_back(group.group_id);
    append_status(out, run, group.group_id);
  }
  if (!run.disks.empty()) fmt::format_to(out, "\nDisk stats (read/write):\n");
  for (const FioDisk& disk : run.disks) append_disk(out, disk);
  return text;
}

}  // namespace blkpress::sim
