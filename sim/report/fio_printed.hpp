// What the normal output and the list of figures have in common: the numbers as fio prints them, before layout.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/sim/fio_statistics.hpp"

namespace blkpress::sim {

inline constexpr std::array<std::string_view, 7> kFioDepthNames = {"1", "2", "4", "8", "16", "32", ">=64"};
inline constexpr std::array<std::string_view, 7> kFioBatchNames = {"0", "4", "8", "16", "32", "64", ">=64"};
inline constexpr std::array<std::string_view, kFioDirections> kFioDirectionNames = {"read", "write", "trim"};

// The headline of a direction.
struct FioHeadline {
  std::string iops;          // "71.2k"
  std::string bandwidth;     // "140MiB/s"
  std::string bandwidth_si;  // "146MB/s"
  std::string total;         // "10.0GiB"
  std::string total_si;      // "10.7GB"
};
FioHeadline fio_headline(const FioDirectionResult& result);

// Minimum, maximum, mean and deviation in the unit that fio chooses.
struct FioSummary {
  std::string_view unit;  // "nsec", "usec", "msec"; "KiB", "MiB"
  std::uint64_t min;
  std::uint64_t max;
  double mean;
  double stdev;
};
FioSummary fio_latency_summary(const FioMoments& ns);
FioSummary fio_bandwidth_summary(const FioMoments& kib);
// The share of the samples' mean in the bandwidth of the whole run, at most 100 %.
double fio_bandwidth_percent(const FioDirectionResult& result);

struct FioPercentiles {
  std::string_view unit;
  std::array<std::uint64_t, kFioPercentiles.size()> values;
};
FioPercentiles fio_percentiles(const LogHistogram& ns);

// Shares in percent. fio prints what is there, however little, as 0.1 % (depths) or 0.01 % (latencies).
std::array<double, 7> fio_depth_percent(const FioDepthCounts& counts);
struct FioLatencyShare {
  std::string_view unit;
  std::string_view bound;  // "20", ">=2000"
  double percent;
};
std::vector<FioLatencyShare> fio_latency_shares(const FioGroup& group);

// Total of the direction's bytes a second, as fio rounds it.
std::uint64_t fio_bytes_per_second(const FioDirectionResult& result);

double fio_cpu_percent(std::uint64_t cpu_ms, const FioGroup& group);
// "0,81920,0,0"
std::string fio_issued(const FioGroup& group);

}  // namespace blkpress::sim
