// Filesystem zfs: writes of less than a record.
#include "blkpress/sim/zfs_filesystem.hpp"
#include "filesystem/write_bench.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;
using namespace blkpress::sim::test;

namespace {

constexpr std::uint32_t kRecord = 128 * kKiB;

struct PartBench {
  explicit PartBench(std::uint64_t arc_max)
      : device(100e6),
        processor(scheduler, 2, milliseconds(3)),
        source(RecordKind::raw, kRecord, {}),
        queue(scheduler, device),
        filesystem(scheduler, processor, queue, WriteBenchOptions::parameters(), read(arc_max), Random(1, 1),
                   Random(1, 4)) {}

  static ZfsReadParameters read(std::uint64_t arc_max) {
    ZfsReadParameters parameters;
    parameters.arc_max = arc_max;
    parameters.prefetch = false;
    return parameters;
  }

  // Each record in turn, `parts` times: that many bytes.
  Task write(FilesystemModel::File file, std::uint64_t records, std::uint32_t parts, std::uint32_t bytes) {
    for (std::uint64_t i = 0; i < records; ++i) {
      for (std::uint32_t part = 0; part < parts; ++part) co_await filesystem.write_part(process, file, i, bytes);
    }
    co_await filesystem.sync(process);
    processor.block(process.thread);
  }
  void run(FilesystemModel::File file, std::uint64_t records, std::uint32_t parts, std::uint32_t bytes) {
    scheduler.spawn(write(file, records, parts, bytes));
    scheduler.run();
  }

  Scheduler scheduler;
  ConstantRateDevice device;
  Processor processor;
  UniformSource source;
  DeviceQueue queue;
  ZfsFilesystem filesystem;
  Process process;
};

}  // namespace

TEST_CASE("zfs: parts of a record that are written within a transaction group store it once") {
  PartBench bench(kGiB);
  const auto file = bench.filesystem.create(bench.source);
  bench.run(file, 100, 32, 4096);
  CHECK(bench.filesystem.bytes_written() == 100 * std::uint64_t{kRecord});
  CHECK(bench.filesystem.read_side().device_reads() == 0);  // a new file: there is nothing to read
}

TEST_CASE("zfs: a part of a record that is not in memory is read before it is written, a whole record is not") {
  PartBench bench(8 * kRecord);
  const auto file = bench.filesystem.create(bench.source);
  bench.run(file, 100, 1, kRecord);
  CHECK(bench.filesystem.read_side().device_reads() == 0);
  bench.run(file, 50, 1, kRecord);
  CHECK(bench.filesystem.read_side().device_reads() == 0);
  bench.run(file, 40, 1, 4096);  // the ARC holds eight others
  CHECK(bench.filesystem.read_side().bytes_read() == 40 * std::uint64_t{kRecord});
  // Read-modify-write: each 4 KiB cost a record to read and a record to write.
  CHECK(bench.filesystem.bytes_written() == (100 + 50 + 40) * std::uint64_t{kRecord});
}
