#include "blkpress/sim/fio_statistics.hpp"

#include <algorithm>

#include "blkpress/result.hpp"

namespace blkpress::sim {

namespace {

// fio's bw_avg_time and iops_avg_time, 500 ms by default.
constexpr Duration kSamplePeriod = milliseconds(500);

constexpr std::array<std::uint64_t, 10> kBounds = {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000};

std::uint64_t whole_milliseconds(Duration d) { return static_cast<std::uint64_t>(d.ns / 1'000'000); }

template <std::size_t n>
void add_all(std::array<std::uint64_t, n>& target, const std::array<std::uint64_t, n>& source) {
  for (std::size_t i = 0; i < n; ++i) target[i] += source[i];
}

// 1, 2-3, 4-7, 8-15, 16-31, 32-63, 64 and more.
std::size_t depth_bin(std::uint64_t depth) {
  std::size_t bin = 0;
  while (bin < 6 && depth >= (std::uint64_t{2} << bin)) ++bin;
  return bin;
}

// 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
std::size_t batch_bin(std::uint64_t ios) {
  if (ios == 0) return 0;
  std::size_t bin = 1;
  while (bin < 6 && ios > (std::uint64_t{2} << bin)) ++bin;
  return bin;
}

void merge_direction(FioDirectionResult& group, const FioDirectionResult& job) {
  group.ios += job.ios;
  group.bytes += job.bytes;
  group.runtime_ms = std::max(group.runtime_ms, job.runtime_ms);
  group.clat_ns.merge(job.clat_ns);
  group.lat_ns.merge(job.lat_ns);
  group.bw_kib.sum(job.bw_kib);
  group.iops.sum(job.iops);
  group.clat_histogram.merge(job.clat_histogram);
}

}  // namespace

void FioLatencyBins::add(std::uint64_t ns) {
  const auto bin_of = [](std::uint64_t value) {
    return static_cast<std::size_t>(std::upper_bound(kBounds.begin(), kBounds.end(), value) - kBounds.begin());
  };
  if (ns < 1000) {
    ++nsec[bin_of(ns)];
  } else if (ns < 1'000'000) {
    ++usec[bin_of(ns / 1000)];
  } else {
    const std::uint64_t ms = ns / 1'000'000;
    ++msec[ms >= 2000 ? 11 : bin_of(ms)];
  }
}

void FioLatencyBins::merge(const FioLatencyBins& other) {
  add_all(nsec, other.nsec);
  add_all(usec, other.usec);
  add_all(msec, other.msec);
}

FioJobStatistics::FioJobStatistics(const Options& options)
    : options_(options), next_sample_(options.start + kSamplePeriod) {}

void FioJobStatistics::record(FioDirection direction, Instant start, Instant completion, std::uint64_t bytes,
                              Duration preparation) {
  BLKPRESS_ASSERT(!finished_ && completion >= start && preparation.ns >= 0);
  sample_until(completion);
  FioDirectionResult& result = directions_[static_cast<std::size_t>(direction)];
  ++result.ios;
  result.bytes += bytes;
  if (options_.synchronous) {
    ++depths_[depth_bin(1)];
    ++submits_[batch_bin(1)];
    ++completes_[batch_bin(1)];
  }
  if (!options_.latency) return;
  const auto clat = static_cast<std::uint64_t>((completion - start).ns);
  result.clat_ns.add(clat);
  result.lat_ns.add(clat + static_cast<std::uint64_t>(preparation.ns));
  result.clat_histogram.add(clat);
  bins_.add(clat);
}

void FioJobStatistics::count_depth(std::uint64_t depth) { ++depths_[depth_bin(depth)]; }
void FioJobStatistics::count_submit(std::uint64_t ios) { ++submits_[batch_bin(ios)]; }
void FioJobStatistics::count_complete(std::uint64_t ios) { ++completes_[batch_bin(ios)]; }

void FioJobStatistics::add_cpu(Duration user, Duration system) {
  user_ += user;
  system_ += system;
}

// Samples are due at fixed times, whether I/Os complete or not, so those before `now` can be taken when it comes.
void FioJobStatistics::sample_until(Instant now) {
  while (next_sample_ < now) {
    take_sample();
    next_sample_ = next_sample_ + kSamplePeriod;
  }
}

// An interval without a completed I/O leaves no sample.
void FioJobStatistics::take_sample() {
  const std::uint64_t spent_ms = whole_milliseconds(kSamplePeriod);
  for (std::size_t i = 0; i < kFioDirections; ++i) {
    FioDirectionResult& result = directions_[i];
    const std::uint64_t bytes = result.bytes - sampled_[i].bytes;
    const std::uint64_t ios = result.ios - sampled_[i].ios;
    if (ios == 0) continue;
    result.bw_kib.add(bytes * 1000 / spent_ms / 1024);
    result.iops.add(ios * 1000 / spent_ms);
    sampled_[i] = {result.bytes, result.ios};
  }
}

void FioJobStatistics::finish(Instant end) {
  BLKPRESS_ASSERT(!finished_ && end >= options_.start);
  finished_ = true;
  // An interval that the end completes counts.
  sample_until(end + nanoseconds(1));
  runtime_ms_ = whole_milliseconds(end - options_.start);
  for (FioDirectionResult& result : directions_) {
    if (result.ios != 0) result.runtime_ms = runtime_ms_;
  }
}

std::uint64_t FioJobStatistics::ios() const { return directions_[0].ios + directions_[1].ios + directions_[2].ios; }
std::uint64_t FioJobStatistics::bytes() const {
  return directions_[0].bytes + directions_[1].bytes + directions_[2].bytes;
}

FioGroup fio_group(std::span<const FioJobStatistics> jobs) {
  FioGroup group;
  group.jobs = static_cast<std::uint32_t>(jobs.size());
  for (const FioJobStatistics& job : jobs) {
    BLKPRESS_ASSERT(job.finished_);
    for (std::size_t i = 0; i < kFioDirections; ++i) merge_direction(group.directions[i], job.directions_[i]);
    group.bins.merge(job.bins_);
    add_all(group.depths, job.depths_);
    add_all(group.submits, job.submits_);
    add_all(group.completes, job.completes_);
    group.user_ms += whole_milliseconds(job.user_);
    group.system_ms += whole_milliseconds(job.system_);
    group.total_runtime_ms += job.runtime_ms_;
    group.context_switches += job.context_switches_;
    group.major_faults += job.major_faults_;
    group.minor_faults += job.minor_faults_;
  }
  return group;
}

}  // namespace blkpress::sim
