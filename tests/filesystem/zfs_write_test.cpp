// Filesystem zfs, write side, against closed formulas and as inequalities.
#include <string>

#include "filesystem/write_bench.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;
using namespace blkpress::sim::test;

namespace {

double seconds_of(const WriteBench& bench) {
  return static_cast<double>(bench.fio[FioDirection::write].runtime_ms) / 1e3;
}

double stdev_of(const WriteBench& bench) { return bench.fio[FioDirection::write].clat_ns.stdev(); }

// A printed number of fio's output, so that the test sees what users see.
double printed(const WriteBench& bench, const std::string& metric) {
  for (const FioFigure& figure : fio_figures(bench.fio)) {
    if (figure.metric == metric) return std::stod(figure.value);
  }
  FAIL("fio prints no " << metric);
  return 0;
}

}  // namespace

TEST_CASE("zfs write side: the throttle holds the dirty data where its delay equals the time of a record") {
  // dmu_tx_delay: m = 500 us * (x - 0.6) / (1 - x) for x = dirty / max, hence x = (0.6 + r) / (1 + r) with r = m / 500
  // us.
  const auto record_us = GENERATE(924, 1820, 5430);
  WriteBenchOptions options;
  options.compress_time = microseconds(record_us);
  const WriteBench bench(options);
  const double r = record_us / 500.0;
  const double expected = (0.6 + r) / (1 + r);
  const double found = static_cast<double>(bench.dirty_halfway) / static_cast<double>(options.write.dirty_data_max);
  CHECK(found == Approx(expected).margin(0.01));
}

TEST_CASE("zfs write side: everything that was written reaches the device, and nothing stays dirty") {
  WriteBenchOptions options;
  options.psize = 64 * kKiB;
  const WriteBench bench(options);
  CHECK(bench.dirty_at_end == 0);
  CHECK(bench.bytes_written == 10 * 2000 * 64 * kKiB);
  CHECK(bench.scheduler.unfinished_tasks() == 2);  // the sync loop and one compressing thread wait for ever
}

TEST_CASE("zfs write side: a slow device sets the rate, less what still is dirty when the writers end") {
  WriteBenchOptions options;
  options.bytes_per_second = 100e6;
  const WriteBench bench(options);
  const double bytes = 10.0 * 2000 * 128 * kKiB;
  const double most = bytes / 100e6;
  const double least = (bytes - static_cast<double>(options.write.dirty_data_max)) / 100e6;
  CHECK(seconds_of(bench) >= least * 0.99);
  CHECK(seconds_of(bench) <= most * 1.01);
}

TEST_CASE("zfs write side: records that follow each other become I/Os of up to a mebibyte") {
  WriteBenchOptions options;
  options.bytes_per_second = 100e6;
  const WriteBench bench(options);
  const double records_per_io = 10.0 * 2000 / static_cast<double>(bench.device_writes);
  CHECK(records_per_io > 7);
  CHECK(records_per_io <= 8);
  options.write.aggregation_limit = 128 * kKiB;
  CHECK(WriteBench(options).device_writes == 10 * 2000);
}

TEST_CASE("zfs write side: holes cost no device time") {
  WriteBenchOptions options;
  options.kind = RecordKind::hole;
  options.psize = 0;
  options.compress_time = {};
  options.bytes_per_second = 1;
  const WriteBench bench(options);
  CHECK(bench.device_writes == 0);
  CHECK(bench.dirty_at_end == 0);
  CHECK(seconds_of(bench) < 1);
}

TEST_CASE("zfs write side: a second compressing thread halves the time of a run that the codec limits") {
  WriteBenchOptions options;
  options.records_per_writer = 4000;
  options.compress_time = milliseconds(2);
  const double one = seconds_of(WriteBench(options));
  options.write.compress_threads = 2;
  const double two = seconds_of(WriteBench(options));
  CHECK(two < 0.56 * one);
  CHECK(two > 0.44 * one);
}

TEST_CASE("zfs write side: without the delay writers run into the limit, at the same rate but unevenly") {
  // models: the ablation "delay off" of document vps-zfs-fio, as inequalities.
  WriteBenchOptions options;
  options.records_per_writer = 8000;
  options.bytes_per_second = 143e6;
  options.write.metadata_phase = milliseconds(100);
  const WriteBench base(options);
  options.write.write_delay = false;
  const WriteBench without(options);
  CHECK(stdev_of(without) >= 3 * stdev_of(base));
  const bool tail = printed(without, "fio.clat.p95") >= 1.4 * printed(base, "fio.clat.p95");
  const bool plateau = printed(without, "fio.clat.p20") <= 0.9 * printed(base, "fio.clat.p20");
  CHECK((tail || plateau));
  CHECK(seconds_of(without) == Approx(seconds_of(base)).epsilon(0.02));
}

TEST_CASE("zfs write side: the same seed gives the same run, another one does not") {
  WriteBenchOptions options;
  options.write.timer_slack = microseconds(50);
  const WriteBench first(options);
  const WriteBench again(options);
  options.seed = 2;
  const WriteBench other(options);
  CHECK(first.scheduler.now() == again.scheduler.now());
  CHECK(first.scheduler.events() == again.scheduler.events());
  CHECK(first.fio[FioDirection::write].clat_ns.mean == again.fio[FioDirection::write].clat_ns.mean);
  CHECK(first.fio[FioDirection::write].clat_ns.mean != other.fio[FioDirection::write].clat_ns.mean);
}

TEST_CASE("zfs write side: defaults of OpenZFS by version and host") {
  // module/zfs: arc_init (dirty limit), zio_taskq_batch_pct, zfs_vdev_aggregation_limit and its _non_rotating.
  const auto small = ZfsWriteParameters::defaults(ZfsVersion::release(2, 1), 4 * kGiB, 2, true);
  CHECK(small.dirty_data_max == 4 * kGiB / 10);
  CHECK(small.compress_threads == 1);
  CHECK(small.aggregation_limit == kMiB);
  const auto large = ZfsWriteParameters::defaults(ZfsVersion::release(2, 4), 256 * kGiB, 40, false);
  CHECK(large.dirty_data_max == 4 * kGiB);
  CHECK(large.compress_threads == 32);
  CHECK(large.aggregation_limit == 128 * kKiB);
}
