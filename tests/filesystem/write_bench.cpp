#include "filesystem/write_bench.hpp"

#include <deque>

namespace blkpress::sim::test {

Task WriteBench::writer(const WriteBenchOptions& options, ZfsFilesystem& filesystem, Processor& processor,
                        FilesystemModel::File file, Process& process, FioJobStatistics& statistics) {
  for (std::uint64_t index = 0; index < options.records_per_writer; ++index) {
    const Instant start = scheduler.now();
    co_await filesystem.write_record(process, file, index);
    statistics.record(FioDirection::write, start, scheduler.now(), 128 * kKiB);
    if (++writes_ == options.writers * options.records_per_writer / 2) dirty_halfway = filesystem.dirty_bytes();
  }
  processor.block(process.thread);
  statistics.finish(scheduler.now());
}

WriteBench::WriteBench(const WriteBenchOptions& options) {
  Processor processor(scheduler, 2, milliseconds(3));
  ConstantRateDevice device(options.bytes_per_second);
  DeviceQueue queue(scheduler, device);
  UniformSource source(options.kind, options.psize, options.compress_time);
  ZfsFilesystem filesystem(scheduler, processor, queue, options.write, ZfsReadParameters{}, Random(options.seed, 1),
                           Random(options.seed, 4));
  std::deque<Process> processes(options.writers);
  std::vector<FioJobStatistics> statistics(options.writers, FioJobStatistics(FioJobStatistics::Options{}));
  for (std::uint32_t i = 0; i < options.writers; ++i) {
    scheduler.spawn(writer(options, filesystem, processor, filesystem.create(source), processes[i], statistics[i]));
  }
  scheduler.run();
  fio = fio_group(statistics);
  dirty_at_end = filesystem.dirty_bytes();
  bytes_written = filesystem.bytes_written();
  device_writes = filesystem.device_writes();
  transaction_groups = filesystem.transaction_groups();
}

}  // namespace blkpress::sim::test
