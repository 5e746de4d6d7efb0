#include "blkpress/sim/fio_statistics.hpp"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "blkpress/random.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

// I/Os of one size, one after the other, each taking the same time.
FioJobStatistics steady_job(Instant start, Duration each, std::uint64_t bytes, int count) {
  FioJobStatistics job({.start = start});
  Instant now = start;
  for (int i = 0; i < count; ++i) {
    job.record(FioDirection::write, now, now + each, bytes);
    now = now + each;
  }
  job.finish(now);
  return job;
}

std::map<std::string, std::string> figures_of(const FioGroup& group) {
  std::map<std::string, std::string> values;
  for (const FioFigure& figure : fio_figures(group)) values[figure.metric] = figure.value;
  return values;
}

}  // namespace

TEST_CASE("fio statistics: 9240576 ns fall into the bucket that fio prints as 9241 us") {
  CHECK(LogHistogram::value_of(LogHistogram::bucket_of(9'240'576)) == 9'240'576);
  FioJobStatistics job({});
  job.record(FioDirection::write, Instant{0}, Instant{20'000}, 4096);  // p1, so that the unit is usec
  for (int i = 1; i < 100; ++i) {
    const Instant start{i * 1'000'000'000LL};
    job.record(FioDirection::write, start, start + Duration{9'200'000 + i * 700}, 4096);
  }
  job.finish(Instant{101'000'000'000});
  auto figures = figures_of(fio_group(std::vector{job}));
  CHECK(figures["fio.clat.p50"] == "9241");
}

TEST_CASE("fio statistics: every percentile printed in the documents is the value of a bucket") {
  // Document 000, write lz4, gzip, zstd and read lz4: buckets are recovered from the rounded-up microseconds.
  for (double usec : {5604.,  8291.,  8979.,  9110.,  9241.,  9372.,  9634.,  10028., 11469., 13304., 25035.,
                      29754., 39584., 26346., 44827., 52167., 53216., 53740., 54264., 55313., 57410., 58459.,
                      60031., 62129., 65799., 67634., 72877., 74974., 86508., 15401., 16712., 17695., 17957.,
                      18220., 18482., 18744., 19006., 19792., 20317., 21890., 22414., 24249., 25560., 30016.}) {
    const std::uint64_t value =
        LogHistogram::value_of(LogHistogram::bucket_of(static_cast<std::uint64_t>((usec - 0.5) * 1000)));
    CHECK((value + 999) / 1000 == static_cast<std::uint64_t>(usec));
  }
}

TEST_CASE("fio statistics: distances between percentiles are counted in buckets") {
  CHECK(fio_bucket_distance(9241, 9241) == 0);
  CHECK(fio_bucket_distance(9110, 9241) == 1);
  CHECK(fio_bucket_distance(9372, 9110) == 2);
}

TEST_CASE("fio statistics: a percentile is the first bucket at which enough I/Os are counted") {
  LogHistogram histogram;
  for (std::uint64_t i = 1; i <= 100; ++i) histogram.add(i);
  CHECK(histogram.percentile(100) == 1);
  CHECK(histogram.percentile(5000) == 50);
  CHECK(histogram.percentile(9900) == 99);
  CHECK(histogram.percentile(9950) == 100);
  CHECK(histogram.percentile(9999) == 100);
}

TEST_CASE("fio statistics: the share below a bound is a straight line inside a bucket") {
  LogHistogram histogram;
  histogram.add(9'240'576, 4);
  histogram.add(100, 6);
  CHECK(histogram.share_below(100) == Approx(0));
  CHECK(histogram.share_below(101) == Approx(0.6));
  // The bucket is 131072 wide around its value.
  CHECK(histogram.share_below(9'240'576) == Approx(0.8));
  CHECK(histogram.share_below(9'240'576 + 65536) == Approx(1));
}

TEST_CASE("fio statistics: latency shares count whole microseconds and milliseconds, bounds excluded") {
  FioLatencyBins bins;
  bins.add(19'999);     // 19 us: below 20
  bins.add(20'000);     // 20 us: below 50
  bins.add(999'999);    // 999 us: below 1000
  bins.add(1'000'000);  // 1 ms: below 2
  bins.add(1'999'999);  // still 1 ms
  bins.add(999);        // ns
  bins.add(2'000'000'000);
  CHECK(bins.usec[3] == 1);
  CHECK(bins.usec[4] == 1);
  CHECK(bins.usec[9] == 1);
  CHECK(bins.msec[0] == 2);
  CHECK(bins.nsec[9] == 1);
  CHECK(bins.msec[11] == 1);
}

TEST_CASE("fio statistics: merged moments are those of all values together") {
  Random random(1);
  FioMoments all;
  FioMoments parts[3];
  std::vector<double> values;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t value = random.below(1'000'000);
    all.add(value);
    parts[i % 7 == 0 ? 0 : i % 3].add(value);
    values.push_back(static_cast<double>(value));
  }
  FioMoments merged;
  for (const FioMoments& part : parts) merged.merge(part);
  // Two passes over the values, as the definition says.
  double mean = 0;
  for (double value : values) mean += value / static_cast<double>(values.size());
  double deviations = 0;
  for (double value : values) deviations += (value - mean) * (value - mean);
  const double stdev = std::sqrt(deviations / static_cast<double>(values.size() - 1));
  CHECK(merged.mean == Approx(mean).epsilon(1e-12));
  CHECK(merged.stdev() == Approx(stdev).epsilon(1e-12));
  CHECK(all.stdev() == Approx(stdev).epsilon(1e-12));
  CHECK(merged.min == all.min);
  CHECK(merged.max == all.max);
}

TEST_CASE("fio statistics: bandwidth samples come every 500 ms of a job, and the last part is dropped") {
  // 100 I/Os of 128 KiB a second, for 1.74 s: three samples of 12800 KiB/s.
  const FioJobStatistics job = steady_job(Instant{7'000'000}, milliseconds(10), 131072, 174);
  const FioGroup group = fio_group(std::vector{job});
  const FioDirectionResult& write = group[FioDirection::write];
  CHECK(write.bw_kib.samples == 3);
  CHECK(write.bw_kib.min == 12800);
  CHECK(write.bw_kib.max == 12800);
  CHECK(write.iops.mean == 100);
  CHECK(write.runtime_ms == 1740);
}

TEST_CASE("fio statistics: an interval in which nothing completes leaves no sample") {
  FioJobStatistics job({});
  job.record(FioDirection::write, Instant{0}, Instant{100'000'000}, 4096);
  job.record(FioDirection::write, Instant{100'000'000}, Instant{1'700'000'000}, 4096);
  job.finish(Instant{2'100'000'000});
  const FioGroup group = fio_group(std::vector{job});
  CHECK(group[FioDirection::write].bw_kib.samples == 2);
}

TEST_CASE("fio statistics: under group_reporting minima, maxima and means of samples are added, deviations per job") {
  std::vector<FioJobStatistics> jobs;
  for (int i = 1; i <= 10; ++i) jobs.push_back(steady_job(Instant{i * 1'500'000}, milliseconds(i), 131072, 2000));
  const FioGroup group = fio_group(jobs);
  const FioDirectionResult& write = group[FioDirection::write];
  std::uint64_t sum = 0;
  std::uint64_t samples = 0;
  for (std::uint64_t i = 1; i <= 10; ++i) {
    // Where 500 ms are no multiple of i ms the samples differ by one I/O; the sum of the maxima counts the larger one.
    const std::uint64_t ios = (500 + i - 1) / i;
    sum += ios * 131072 * 1000 / 500 / 1024;
    samples += 2000 * i / 500;
  }
  CHECK(write.bw_kib.max == sum);
  CHECK(write.bw_kib.samples == samples);
  CHECK(write.ios == 20'000);
  CHECK(write.runtime_ms == 20'000);
  CHECK(group.total_runtime_ms == 110'000);
}

TEST_CASE("fio statistics: the whole is consistent by Little's law and by its samples") {
  const FioJobStatistics job = steady_job(Instant{0}, microseconds(9241), 131072, 8192);
  const FioGroup group = fio_group(std::vector{job});
  const FioDirectionResult& write = group[FioDirection::write];
  const double total_latency_ms = write.clat_ns.mean * static_cast<double>(write.ios) / 1e6;
  CHECK(total_latency_ms == Approx(static_cast<double>(write.runtime_ms)).epsilon(1e-4));
  CHECK(static_cast<double>(write.bw_kib.samples) * 500 == Approx(total_latency_ms).epsilon(0.01));
}

TEST_CASE("fio statistics: latency bins that are zero are listed as 0.00, and little as 0.01") {
  FioJobStatistics job({});
  Instant now{};
  for (int i = 0; i < 20'001; ++i) {
    const Duration each = i == 0 ? milliseconds(60) : microseconds(30);
    job.record(FioDirection::write, now, now + each, 4096);
    now = now + each;
  }
  job.finish(now);
  auto figures = figures_of(fio_group(std::vector{job}));
  CHECK(figures["fio.lat_hist.le_20usec"] == "0.00");
  CHECK(figures["fio.lat_hist.le_50usec"] == "100.00");
  CHECK(figures["fio.lat_hist.le_100msec"] == "0.01");
  CHECK(figures["fio.issued.total(r,w,t,s)"] == "0,20001,0,0");
}

TEST_CASE("fio statistics: demerit17 weighs each percentile by the probability around it") {
  std::array<double, 17> published{};
  published.fill(100);
  std::array<double, 17> simulated = published;
  CHECK(fio_demerit17(simulated, published, 100) == 0);
  simulated.fill(110);  // all the weight: 10 % of the mean
  CHECK(fio_demerit17(simulated, published, 100) == Approx(10));
  simulated = published;
  simulated[6] = 200;  // p50 stands for 45 % to 55 %
  CHECK(fio_demerit17(simulated, published, 100) == Approx(100 * std::sqrt(0.10)));
}
