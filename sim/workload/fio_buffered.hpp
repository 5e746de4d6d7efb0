// A job of fio on a filesystem behind the page cache: each write is done within the call that submits it.
#pragma once

#include <deque>
#include <vector>

#include "blkpress/fio_offsets.hpp"
#include "blkpress/sim/fio_job.hpp"
#include "blkpress/sim/fio_statistics.hpp"
#include "blkpress/sim/world.hpp"
#include "workload/fio_progress.hpp"

namespace blkpress::sim {

// What is behind such a file: pages that nobody compresses.
class PlainPages final : public RecordSource {
 public:
  explicit PlainPages(std::uint64_t bytes) : records_((bytes + kPageBytes - 1) / kPageBytes) {}
  StoredRecord record(std::uint64_t) override { return {}; }
  [[nodiscard]] std::uint32_t record_bytes() const override { return kPageBytes; }
  [[nodiscard]] std::uint64_t records() const override { return records_; }

 private:
  std::uint64_t records_;
};

// The block devices as fio finds them when its last job has ended.
struct BlockDevices {
  BlockDeviceCounters stacked;
  BlockDeviceCounters device;
};

class FioBufferedJob {
 public:
  // All references must outlive the job. user_per_io: fio's own CPU time for one I/O.
  FioBufferedJob(World& world, const FioJob& job, FilesystemModel::File file, Duration user_per_io,
                 FioJobStatistics& statistics)
      : world_(world), job_(job), file_(file), user_per_io_(user_per_io), statistics_(statistics) {}

  // Runs the job to its end and finishes its statistics.
  Task run(FioProgress& progress, BlockDevices& devices);

 private:
  // An I/O that is done and that fio has not asked for yet.
  struct Done {
    Instant submitted;
    Instant returned;
    std::uint64_t bytes;
  };
  bool take_batch(FioOffsets& offsets, Instant begin, FioProgress& progress);
  void count_batch(Instant start);
  void reap_oldest();
  void finish();

  World& world_;
  const FioJob& job_;
  FilesystemModel::File file_;
  Duration user_per_io_;
  FioJobStatistics& statistics_;
  Process process_;
  std::uint64_t ios_ = 0;
  std::vector<std::uint64_t> pages_;
  std::vector<std::uint64_t> batch_;  // bytes of each I/O
  std::deque<Done> done_;
};

}  // namespace blkpress::sim
