#include "report/fio_printed.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace blkpress::sim {

namespace {

// fio moves to the next larger unit only when even the least value stays readable in it.
std::uint64_t latency_divisor(std::uint64_t min, std::uint64_t max, double stdev) {
  if (min > 2'000'000 && max > 99'999'999 && stdev > 1e6) return 1'000'000;
  if (min > 2'000 && max > 99'999 && stdev > 1e3) return 1'000;
  return 1;
}

std::string_view latency_unit(std::uint64_t divisor) {
  return divisor == 1 ? "nsec" : divisor == 1000 ? "usec" : "msec";
}

template <std::size_t n>
void append_shares(std::vector<FioLatencyShare>& shares, std::string_view unit,
                   const std::array<std::uint64_t, n>& bins, std::uint64_t total) {
  constexpr std::array<std::string_view, 12> kNames = {"2",   "4",   "10",  "20",   "50",   "100",
                                                       "250", "500", "750", "1000", "2000", ">=2000"};
  for (std::size_t i = 0; i < n; ++i) {
    double percent = 0;
    if (total != 0 && bins[i] != 0) {
      percent = std::max(0.01, static_cast<double>(bins[i]) / static_cast<double>(total) * 100.0);
    }
    shares.push_back({unit, kNames[i], percent});
  }
}

}  // namespace

std::uint64_t fio_bytes_per_second(const FioDirectionResult& result) {
  return result.runtime_ms == 0 ? 0 : result.bytes * 1000 / result.runtime_ms;
}

FioHeadline fio_headline(const FioDirectionResult& result) {
  const std::uint64_t rate = fio_bytes_per_second(result);
  const std::uint64_t iops = result.runtime_ms == 0 ? 0 : result.ios * 1000 / result.runtime_ms;
  return {.iops = fio_number(iops, 4, false, ""),
          .bandwidth = fio_number(rate, 4, true, "B/s"),
          .bandwidth_si = fio_number(rate, 4, false, "B/s"),
          .total = fio_number(result.bytes, 4, true, "B"),
          .total_si = fio_number(result.bytes, 4, false, "B")};
}

FioSummary fio_latency_summary(const FioMoments& ns) {
  const double stdev = ns.stdev();
  const std::uint64_t divisor = latency_divisor(ns.min, ns.max, stdev);
  const auto scale = static_cast<double>(divisor);
  return {latency_unit(divisor), ns.min / divisor, ns.max / divisor, ns.mean / scale, stdev / scale};
}

FioSummary fio_bandwidth_summary(const FioMoments& kib) {
  if (kib.mean > 1024.0 * 1024.0) {
    return {"MiB", kib.min / 1024, kib.max / 1024, kib.mean / 1024.0, kib.stdev() / 1024.0};
  }
  return {"KiB", kib.min, kib.max, kib.mean, kib.stdev()};
}

double fio_bandwidth_percent(const FioDirectionResult& result) {
  const std::uint64_t all_kib = fio_bytes_per_second(result) / 1024;
  return all_kib == 0 ? 100.0 : std::min(100.0, result.bw_kib.mean * 100.0 / static_cast<double>(all_kib));
}

FioPercentiles fio_percentiles(const LogHistogram& ns) {
  FioPercentiles result{"nsec", {}};
  for (std::size_t i = 0; i < kFioPercentiles.size(); ++i) result.values[i] = ns.percentile(kFioPercentiles[i]);
  const std::uint64_t least = result.values.front();
  const std::uint64_t most = result.values.back();
  const int thousands = least > 2'000'000 && most > 99'999'999 ? 2 : least > 2'000 && most > 99'999 ? 1 : 0;
  for (std::uint64_t& value : result.values) {
    for (int i = 0; i < thousands; ++i) value = (value + 999) / 1000;
  }
  result.unit = latency_unit(thousands == 0 ? 1 : thousands == 1 ? 1000 : 1'000'000);
  return result;
}

std::array<double, 7> fio_depth_percent(const FioDepthCounts& counts) {
  std::uint64_t total = 0;
  for (std::uint64_t count : counts) total += count;
  std::array<double, 7> percent{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) percent[i] = std::max(0.1, static_cast<double>(counts[i]) / static_cast<double>(total) * 100.0);
  }
  return percent;
}

std::vector<FioLatencyShare> fio_latency_shares(const FioGroup& group) {
  std::uint64_t total = 0;
  for (const FioDirectionResult& result : group.directions) total += result.ios;
  std::vector<FioLatencyShare> shares;
  append_shares(shares, "nsec", group.bins.nsec, total);
  append_shares(shares, "usec", group.bins.usec, total);
  append_shares(shares, "msec", group.bins.msec, total);
  return shares;
}

double fio_cpu_percent(std::uint64_t cpu_ms, const FioGroup& group) {
  if (group.total_runtime_ms == 0) return 0;
  return static_cast<double>(cpu_ms) * 100.0 / static_cast<double>(group.total_runtime_ms);
}

std::string fio_issued(const FioGroup& group) {
  return fmt::format("{},{},{},0", group.directions[0].ios, group.directions[1].ios, group.directions[2].ios);
}

}  // namespace blkpress::sim
