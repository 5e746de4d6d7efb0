// A small world for tests of the write side: writers in a closed loop on a device of a constant rate.
#pragma once

#include <memory>
#include <vector>

#include "blkpress/sim/fio_statistics.hpp"
#include "blkpress/sim/zfs_filesystem.hpp"

namespace blkpress::sim::test {

// Serves one request after the other at a constant rate.
class ConstantRateDevice final : public DeviceModel {
 public:
  explicit ConstantRateDevice(double bytes_per_second) : bytes_per_second_(bytes_per_second) {}
  Instant complete_at(const DeviceRequest& request, Instant now) override {
    free_ = std::max(free_, now) + duration_of(static_cast<double>(request.bytes) / bytes_per_second_);
    return free_;
  }

 private:
  double bytes_per_second_;
  Instant free_{};
};

// Every record ends the same way.
class UniformSource final : public RecordSource {
 public:
  UniformSource(RecordKind kind, std::uint32_t psize, Duration compress_time) {
    record_.outcome.kind = kind;
    record_.outcome.lsize = 128 * kKiB;
    record_.outcome.psize = psize;
    record_.outcome.asize = psize;
    record_.compress_time = compress_time;
  }
  StoredRecord record(std::uint64_t) override { return record_; }
  [[nodiscard]] std::uint32_t record_bytes() const override { return record_.outcome.lsize; }
  [[nodiscard]] std::uint64_t records() const override { return 1 << 16; }  // more than any test writes

 private:
  StoredRecord record_;
};

struct WriteBenchOptions {
  std::uint32_t writers = 10;
  std::uint64_t records_per_writer = 2000;
  double bytes_per_second = 1e12;
  RecordKind kind = RecordKind::raw;
  std::uint32_t psize = 128 * kKiB;
  Duration compress_time = microseconds(100);
  ZfsWriteParameters write = parameters();
  std::uint64_t seed = 1;

  static ZfsWriteParameters parameters() {
    auto write = ZfsWriteParameters::defaults(ZfsVersion::release(2, 1), 4 * kGiB, 2, true);
    write.copy_time.parts = {{20'000, 20'000, 1.0}};
    return write;
  }
};

// Runs to the end; the members are what happened.
class WriteBench {
 public:
  explicit WriteBench(const WriteBenchOptions& options);

  Scheduler scheduler;
  FioGroup fio;
  std::uint64_t dirty_halfway = 0;  // when half of all writes are done
  std::uint64_t dirty_at_end = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t device_writes = 0;
  std::uint64_t transaction_groups = 0;

 private:
  Task writer(const WriteBenchOptions& options, ZfsFilesystem& filesystem, Processor& processor,
              FilesystemModel::File file, Process& process, FioJobStatistics& statistics);
  std::uint64_t writes_ = 0;
};

}  // namespace blkpress::sim::test
