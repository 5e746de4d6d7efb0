// What fio measures and prints, counted as fio counts it.
//
// A FioJobStatistics collects one job's I/Os in virtual time; fio_group() puts jobs together as group_reporting does;
// the rest prints: fio's normal output, and each printed number by name. The meaning of the numbers is that
// of fio 3.29, which differs from the obvious in places: the bandwidth samples of the jobs are added, not averaged; the
// latency shares headed "lat" count completion latencies; per job times are whole milliseconds.
// Threads: a FioJobStatistics belongs to one thread; the rest are values and pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blkpress/fio_options.hpp"
#include "blkpress/histogram.hpp"
#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

// read, write and trim, as fio prints them; blkpress::FioDirection indexes the first two. Trims are always 0.
inline constexpr std::size_t kFioDirections = 3;

// Count, extremes, mean and sum of squared deviations of whole numbers, one at a time (Welford).
struct FioMoments {
  std::uint64_t samples = 0;
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  double mean = 0;
  double deviations = 0;  // sum of squared deviations from the mean

  void add(std::uint64_t value);
  // As if all values had been added to one (Chan, Golub, LeVeque 1979): latencies of several jobs.
  void merge(const FioMoments& other);
  // fio's group_reporting for bandwidth and IOPS samples: minima, maxima, means and deviations are added. stdev() is
  // then that of a typical job, mean the rate of all.
  void sum(const FioMoments& other);
  [[nodiscard]] double stdev() const;
};

// Everything about one direction of a group.
struct FioDirectionResult {
  std::uint64_t ios = 0;
  std::uint64_t bytes = 0;
  std::uint64_t runtime_ms = 0;  // of the job that ran longest
  FioMoments clat_ns;
  FioMoments lat_ns;
  FioMoments bw_kib;            // samples, KiB/s
  FioMoments iops;              // samples
  LogHistogram clat_histogram;  // of ns
};

// Counts of completion latencies between fio's bounds; bin i holds [bounds[i-1], bounds[i]).
struct FioLatencyBins {
  std::array<std::uint64_t, 10> nsec{};  // below 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000 ns
  std::array<std::uint64_t, 10> usec{};  // the same in µs
  std::array<std::uint64_t, 12> msec{};  // below 2 … 1000, 2000 ms, and the rest

  void add(std::uint64_t ns);
  void merge(const FioLatencyBins& other);
};

// The shares behind "IO depths", "submit" and "complete": how many at which depth or batch size.
using FioDepthCounts = std::array<std::uint64_t, 7>;

// One job's accumulator.
class FioJobStatistics {
 public:
  struct Options {
    Instant start{};  // when the job's clock starts; its first bandwidth sample is due 500 ms later (fio's: 499 to 501)
    // Latencies are measured. fio's gtod_reduce=1 turns that off: no clat, lat and latency shares then.
    bool latency = true;
    // One I/O at a time (psync): record() also counts a depth, a submission and a completion of one.
    bool synchronous = true;
  };
  explicit FioJobStatistics(const Options& options);

  // One finished I/O. start: when it was issued; calls come in the order of `completion`. preparation: what lat counts
  // before the issue.
  void record(FioDirection direction, Instant start, Instant completion, std::uint64_t bytes,
              Duration preparation = {});

  // For asynchronous engines: an I/O was queued as the depth-th one in flight; a call submitted or reaped that many.
  void count_depth(std::uint64_t depth);
  void count_submit(std::uint64_t ios);
  void count_complete(std::uint64_t ios);

  // Resources used, as getrusage(2) would tell at the end. Called any number of times; the values add up.
  void add_cpu(Duration user, Duration system);
  void add_context_switches(std::uint64_t switches) { context_switches_ += switches; }
  void add_faults(std::uint64_t major, std::uint64_t minor) { major_faults_ += major, minor_faults_ += minor; }

  // The job has ended; >= every completion. To be called once, before fio_group().
  void finish(Instant end);

  [[nodiscard]] std::uint64_t ios() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  friend struct FioGroup fio_group(std::span<const FioJobStatistics> jobs);
  struct Counters {
    std::uint64_t bytes = 0;
    std::uint64_t ios = 0;
  };
  void sample_until(Instant now);
  void take_sample();

  Options options_;
  std::array<FioDirectionResult, kFioDirections> directions_;
  std::array<Counters, kFioDirections> sampled_{};  // totals at the last sample
  Instant next_sample_;
  FioLatencyBins bins_;
  FioDepthCounts depths_{};
  FioDepthCounts submits_{};
  FioDepthCounts completes_{};
  Duration user_{};
  Duration system_{};
  std::uint64_t context_switches_ = 0;
  std::uint64_t major_faults_ = 0;
  std::uint64_t minor_faults_ = 0;
  std::uint64_t runtime_ms_ = 0;
  bool finished_ = false;
};

// Options of a job as they were given, in their order; one without a value has "".
using FioOptionList = std::vector<std::pair<std::string, std::string>>;

// One block of fio's output: a job, or the jobs of a group under group_reporting.
struct FioGroup {
  // Not measured; the caller fills these in.
  std::string name;
  std::uint32_t group_id = 0;
  std::uint64_t pid = 0;
  std::string end_time;        // "Tue Jan 18 22:48:55 2022"; empty prints as fio prints the epoch
  std::uint32_t iodepth = 1;   // as asked for
  bool percentiles = true;     // clat percentiles are printed
  FioOptionList options = {};  // of the job's section; printed in JSON

  std::uint32_t jobs = 0;
  std::array<FioDirectionResult, kFioDirections> directions;
  FioLatencyBins bins;
  FioDepthCounts depths{};
  FioDepthCounts submits{};
  FioDepthCounts completes{};
  std::uint64_t user_ms = 0;
  std::uint64_t system_ms = 0;
  std::uint64_t total_runtime_ms = 0;  // of all jobs together
  std::uint64_t context_switches = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t minor_faults = 0;

  [[nodiscard]] const FioDirectionResult& operator[](FioDirection direction) const {
    return directions[static_cast<std::size_t>(direction)];
  }
};

// group_reporting: one block for all jobs, which must be finished.
FioGroup fio_group(std::span<const FioJobStatistics> jobs);

// The lines before the measurement.
struct FioHeader {
  std::string version = "3.29";
  std::string rw;  // "randwrite"
  std::uint64_t block_min = 4096;
  std::uint64_t block_max = 4096;
  std::string ioengine = "psync";
  std::uint64_t layout_files = 0;  // per "Laying out IO file" line; 0: the files were there
  std::uint64_t layout_bytes = 0;
  FioOptionList global_options = {};  // of [global], or before the first --name; printed in JSON
  // Of the end, since 1970, printed in JSON. No model knows it: 0 unless the caller does.
  std::uint64_t timestamp_ms = 0;
};

// The kernel's view of a block device during the run. read, write.
struct FioDisk {
  std::string name;
  std::array<std::uint64_t, 2> ios{};
  std::array<std::uint64_t, 2> merges{};
  std::array<std::uint64_t, 2> ticks_ms{};
  std::uint64_t in_queue_ms = 0;
  double util_percent = 0;
  // A stacked device (device mapper) also prints the sums over the devices below it.
  bool aggregate = false;
  std::array<std::uint64_t, 2> aggregate_ios{};
  std::array<std::uint64_t, 2> aggregate_merges{};
  std::array<std::uint64_t, 2> aggregate_ticks_ms{};
  std::uint64_t aggregate_in_queue_ms = 0;
  double aggregate_util_percent = 0;
};

struct FioRun {
  FioHeader header;
  std::vector<FioGroup> groups;
  std::vector<FioDisk> disks;
};

// fio's normal output. fio_group_text: from "seqwrite: (groupid=0" to "latency   :"; fio_run_text: all of it.
std::string fio_group_text(const FioGroup& group);
std::string fio_run_text(const FioRun& run);

// fio's JSON output (--output-format=json) as fio 3.33 lays it out. What no model knows is 0, the epoch, or what the
// caller filled in: timestamps, and slat and sync, which take no time of their own here. elapsed counts from the jobs'
// start; without disks there is no "disk_util".
std::string fio_run_json(const FioRun& run);

// One printed number: "fio.clat.p99.5", "13304", "usec". The unit is the one printed beside it.
struct FioFigure {
  std::string metric;
  std::string value;
  std::string unit;
};
// Every number of a group's block, of the "Run status" line, and (for a run) of the header and the disks. A latency
// share that fio does not print because it is zero is listed as "0.00".
std::vector<FioFigure> fio_figures(const FioGroup& group);
std::vector<FioFigure> fio_figures(const FioRun& run);

// The percentiles that fio prints when nothing else is asked for, in basis points: 100 is p1, 9950 is p99.5.
inline constexpr std::array<std::uint32_t, 17> kFioPercentiles = {100,  500,  1000, 2000, 3000, 4000, 5000, 6000, 7000,
                                                                  8000, 9000, 9500, 9900, 9950, 9990, 9995, 9999};

// How many buckets of fio's percentiles lie between two latencies in µs, as printed.
std::uint64_t fio_bucket_distance(double usec_a, double usec_b);

// Percent of the I/Os of all directions that completed in less than the bound.
double fio_percent_below(const FioGroup& group, double bound_ns);

// demerit17, in percent: root of the weighted mean squared difference of the 17 percentiles (µs) over the published
// mean (µs). A percentile's weight is the probability between the middles to its neighbours. It is blind between them.
double fio_demerit17(std::span<const double, 17> simulated_usec, std::span<const double, 17> published_usec,
                     double published_mean_usec);

// fio's way to print a quantity in `digits` characters: 1117, 71.2k, 140MiB/s, 10.0GiB. binary: powers of 1024.
std::string fio_number(std::uint64_t number, std::size_t digits, bool binary, std::string_view unit);

}  // namespace blkpress::sim
