// Filesystem zfs, read side, against closed formulas and as inequalities.
#include <algorithm>
#include <deque>

#include "blkpress/sim/zfs_read_side.hpp"
#include "filesystem/write_bench.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;
using namespace blkpress::sim::test;

namespace {

constexpr std::uint64_t kRecord = 128 * kKiB;
constexpr double kRate = 100e6;

// A file of equal records.
class EqualRecords final : public RecordSource {
 public:
  explicit EqualRecords(std::uint64_t records, std::uint32_t psize = kRecord, Duration decompress_time = {})
      : records_(records) {
    record_.outcome = {
        psize == 0 ? RecordKind::hole : RecordKind::compressed, RecordReason::compressed, kRecord, psize, psize, psize};
    record_.decompress_time = decompress_time;
  }
  StoredRecord record(std::uint64_t) override { return record_; }
  [[nodiscard]] std::uint32_t record_bytes() const override { return kRecord; }
  [[nodiscard]] std::uint64_t records() const override { return records_; }

 private:
  std::uint64_t records_;
  StoredRecord record_;
};

ZfsReadParameters parameters() {
  auto read = ZfsReadParameters::defaults(ZfsVersion::release(2, 1), 4 * kGiB, true);
  read.hit_time.points = {{0, 50'000}, {1, 50'000}};
  return read;
}

struct Bench {
  explicit Bench(const ZfsReadParameters& read)
      : device(kRate),
        queue(scheduler, device),
        processor(scheduler, 16, milliseconds(3)),
        side(scheduler, processor, queue, read, Random(1, 4)) {}

  // Each file's reader reads records [from, records), `laps` times. Returns how long it took.
  double read(std::vector<ZfsReadSide::File> files, std::uint64_t records, int laps = 1, std::uint64_t from = 0) {
    const Instant start = scheduler.now();
    std::deque<Process> processes(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) scheduler.spawn(reader(processes[i], files[i], records, laps, from));
    scheduler.run();
    return in_seconds(scheduler.now() - start);
  }
  // One reader that takes each record in that many equal parts.
  double read_parts(ZfsReadSide::File file, std::uint64_t records, std::uint32_t parts) {
    const Instant start = scheduler.now();
    Process process;
    scheduler.spawn(part_reader(process, file, records, parts));
    scheduler.run();
    return in_seconds(scheduler.now() - start);
  }
  Task part_reader(Process& process, ZfsReadSide::File file, std::uint64_t records, std::uint32_t parts) {
    for (std::uint64_t i = 0; i < records; ++i) {
      for (std::uint32_t part = 0; part < parts; ++part) {
        co_await side.read_record(process, file, i, static_cast<std::uint32_t>(kRecord) / parts);
      }
    }
    processor.block(process.thread);
  }
  Task reader(Process& process, ZfsReadSide::File file, std::uint64_t records, int laps, std::uint64_t from) {
    for (int lap = 0; lap < laps; ++lap) {
      for (std::uint64_t i = from; i < records; ++i) co_await side.read_record(process, file, i, kRecord);
    }
    processor.block(process.thread);
  }

  Scheduler scheduler;
  ConstantRateDevice device;
  DeviceQueue queue;
  Processor processor;
  ZfsReadSide side;
};

}  // namespace

TEST_CASE("zfs read side: what lies in memory costs the time of a copy, and no I/O") {
  Bench bench(parameters());
  EqualRecords source(1000);
  const auto file = bench.side.add_file(source, 1000);
  CHECK(bench.read({file}, 1000) == Approx(1000 * 50e-6).epsilon(1e-9));
  CHECK(bench.side.device_reads() == 0);
}

TEST_CASE("zfs read side: without prefetch a record takes its transfer and its copy, one after the other") {
  auto read = parameters();
  read.prefetch = false;
  Bench bench(read);
  EqualRecords source(500, 64 * kKiB, microseconds(30));
  const auto file = bench.side.add_file(source, 0);
  CHECK(bench.read({file}, 500) == Approx(500 * (64 * 1024 / kRate + 50e-6 + 30e-6)).epsilon(1e-6));
  CHECK(bench.side.device_reads() == 500);
  CHECK(bench.side.bytes_read() == 500 * 64 * kKiB);
}

TEST_CASE("zfs read side: with prefetch one reader gets the device's rate, in I/Os of up to a mebibyte") {
  Bench bench(parameters());
  EqualRecords source(4000);
  const auto file = bench.side.add_file(source, 0);
  CHECK(bench.read({file}, 4000) == Approx(4000 * kRecord / kRate).epsilon(0.01));
  const double records_per_io = 4000.0 / static_cast<double>(bench.side.device_reads());
  CHECK(records_per_io > 5);
  CHECK(records_per_io <= 8);
}

TEST_CASE("zfs read side: ten readers share the rate; a queued prefetch that is asked for becomes synchronous") {
  Bench bench(parameters());
  std::deque<EqualRecords> sources;
  std::vector<ZfsReadSide::File> files;
  for (int i = 0; i < 10; ++i) files.push_back(bench.side.add_file(sources.emplace_back(1000), 0));
  CHECK(bench.read(files, 1000) == Approx(10'000 * kRecord / kRate).epsilon(0.01));
  CHECK(bench.side.promotions() > 500);
  CHECK(bench.side.bytes_read() == 10'000 * kRecord);  // nothing is read twice
}

TEST_CASE("zfs read side: holes are not read") {
  Bench bench(parameters());
  EqualRecords source(100, 0);
  const auto file = bench.side.add_file(source, 0);
  bench.read({file}, 100);
  CHECK(bench.side.device_reads() == 0);
}

TEST_CASE("zfs read side: gaps between the records of a file end its I/Os, and are not read along") {
  auto read = parameters();
  read.scattered_share = 1;
  read.scattered_run_records = 1;  // exponential of mean 0 on top: every record lies alone
  Bench bench(read);
  EqualRecords source(1000);
  const auto file = bench.side.add_file(source, 0);
  bench.read({file}, 1000);
  CHECK(bench.side.device_reads() == 1000);
  CHECK(bench.side.bytes_read() == 1000 * kRecord);
}

TEST_CASE("zfs read side: a file that fits into the ARC is read once, a larger one each time (least recently used)") {
  auto read = parameters();
  read.arc_max = 1000 * kRecord;
  for (const std::uint64_t records : {900, 1100}) {
    Bench bench(read);
    EqualRecords filler(5000);
    EqualRecords source(records);
    // The filler is laid out last and leaves nothing of the file in memory.
    const auto file = bench.side.add_file(source, std::nullopt);
    bench.side.add_file(filler, std::nullopt);
    bench.read({file}, records, 3);
    CHECK(bench.side.bytes_read() == (records < 1000 ? 1 : 3) * records * kRecord);
  }
}

TEST_CASE("zfs read side: of files laid out one after another the ARC keeps the tail of the last") {
  auto read = parameters();
  read.arc_max = 300 * kRecord;
  read.prefetch = false;
  Bench bench(read);
  EqualRecords source(1000);
  const auto file = bench.side.add_file(source, std::nullopt);
  bench.read({file}, 1000, 1, 700);
  CHECK(bench.side.device_reads() == 0);
}

TEST_CASE("zfs read side: a record that was written is in memory") {
  auto read = parameters();
  read.prefetch = false;
  Bench bench(read);
  EqualRecords source(10);
  const auto file = bench.side.add_file(source, 0);
  for (std::uint64_t i = 0; i < 10; ++i) bench.side.written(file, i);
  bench.read({file}, 10);
  CHECK(bench.side.device_reads() == 0);
}

TEST_CASE("zfs read side: defaults by version") {
  // module/os/linux/zfs/arc_os.c and module/zfs/dmu_zfetch.c, by version.
  const std::uint64_t memory = 16 * kGiB;
  CHECK(ZfsReadParameters::defaults(ZfsVersion::release(2, 1), memory, true).arc_max == 8 * kGiB);
  CHECK(ZfsReadParameters::defaults(ZfsVersion::release(2, 2), memory, true).arc_max == 8 * kGiB);
  CHECK(ZfsReadParameters::defaults(ZfsVersion::release(2, 3), memory, true).arc_max == 15 * kGiB);
  CHECK(ZfsReadParameters::defaults(ZfsVersion::release(2, 3), 2 * kGiB, true).arc_max == 2 * kGiB / 8 * 5);
  CHECK(ZfsReadParameters::defaults(ZfsVersion::release(2, 1), memory, true).prefetch_distance == 8 * kMiB);
  CHECK(ZfsReadParameters::defaults(ZfsVersion::release(2, 2), memory, true).prefetch_distance == 64 * kMiB);
  CHECK(ZfsReadParameters::defaults(ZfsVersion::release(2, 1), memory, true).aggregation_limit == kMiB);
  CHECK(ZfsReadParameters::defaults(ZfsVersion::release(2, 1), memory, false).aggregation_limit == 128 * kKiB);
}

TEST_CASE("zfs read side: parts of a record read it once, decompress it once, and copy their share each") {
  Bench bench(parameters());
  EqualRecords source(10, 64 * kKiB, microseconds(300));
  const auto file = bench.side.add_file(source, 10);
  // 32 parts of each of ten records: ten decompressions, and the copies of ten records.
  CHECK(bench.read_parts(file, 10, 32) == Approx(10 * (300e-6 + 50e-6)).epsilon(1e-3));
  CHECK(bench.side.device_reads() == 0);
}

TEST_CASE("zfs read side: a new file has nothing to read until it is written, and what is written lies in memory") {
  auto read = parameters();
  read.prefetch = false;
  read.arc_max = 4 * kRecord;
  Bench bench(read);
  EqualRecords source(10);
  const auto file = bench.side.add_empty_file(source);
  bench.read({file}, 10);
  CHECK(bench.side.device_reads() == 0);
  for (std::uint64_t i = 0; i < 10; ++i) bench.side.written(file, i);
  // The last four are in memory, the others have left it.
  bench.read({file}, 10, 1, 6);
  CHECK(bench.side.device_reads() == 0);
  bench.read({file}, 6);
  CHECK(bench.side.device_reads() == 6);
}
