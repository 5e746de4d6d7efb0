// Filesystem zfs, read side: what lies in the ARC, prefetch streams, the vdev queue's two classes of reads.
//
// docs/models.md explains the mechanisms and has the ablation that shows what each one does.
// Threads: those of the Scheduler.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "blkpress/bytes.hpp"
#include "blkpress/random.hpp"
#include "blkpress/result.hpp"
#include "blkpress/sim/device_queue.hpp"
#include "blkpress/sim/distribution.hpp"
#include "blkpress/sim/filesystem.hpp"
#include "blkpress/sim/resource.hpp"
#include "blkpress/zfs_policy.hpp"

namespace blkpress::sim {

class LruRecords;

// OpenZFS's module parameters that matter for reads, and what the host and the pool's past add.
struct ZfsReadParameters {
  std::uint64_t arc_max = kGiB;                // zfs_arc_max, bytes of psize: the ARC is compressed since 0.7
  bool prefetch = true;                        // zfs_prefetch_disable=0
  std::uint64_t prefetch_distance = 8 * kMiB;  // zfetch_max_distance, bytes
  std::uint64_t prefetch_min_distance = 0;     // zfetch_min_distance, bytes: how far a stream reaches at once
  bool promotes_prefetch = true;               // a demand read makes a queued prefetch a synchronous read
  std::uint32_t sync_read_max_active = 10;     // zfs_vdev_sync_read_max_active
  std::uint32_t async_read_max_active = 3;     // zfs_vdev_async_read_max_active
  std::uint64_t aggregation_limit = kMiB;      // zfs_vdev_aggregation_limit, bytes
  std::uint64_t read_gap_limit = 32 * kKiB;    // zfs_vdev_read_gap_limit, bytes
  QuantileTable hit_time;                      // CPU time of read(2) of a record that lies in the ARC, uncompressed
  // Where the records of a file do not follow each other on the device: in this share of its regions, whose lengths are
  // distributed exponentially, a gap lies behind every so many records.
  double scattered_share = 0;             // 0 to 1
  double scattered_region_records = 100;  // mean length of a region, >= 1
  double scattered_run_records = 2;       // >= 1

  // The defaults of a version on a Linux host. memory_bytes: MemTotal. rotational: what the block layer says of the
  // device.
  static ZfsReadParameters defaults(ZfsVersion version, std::uint64_t memory_bytes, bool rotational);
};

// What a user may say of the read side; the rest are the version's defaults on the host.
struct ZfsReadSettings {
  std::optional<std::uint64_t> arc_max = std::nullopt;  // bytes
  QuantileTable hit_time = {};
  double scattered_share = 0;
  double scattered_region_records = 100;
  double scattered_run_records = 2;
  bool prefetch = true;
  bool promotes_prefetch = true;
  bool aggregates = true;

  [[nodiscard]] ZfsReadParameters parameters(const ZfsOptions& options, std::uint64_t memory_bytes,
                                             bool rotational) const;
};

class ZfsReadSide {
 public:
  using File = std::size_t;

  // All references must outlive the object. random: a stream of its own.
  ZfsReadSide(Scheduler& scheduler, Processor& processor, DeviceQueue& device, const ZfsReadParameters& parameters,
              Random random);
  ~ZfsReadSide();

  // See FilesystemModel::open(). All files together have fewer than 2^32 - 1 records.
  File add_file(RecordSource& source, std::optional<std::uint64_t> resident);

  // A file whose records are all holes until they are written.
  File add_empty_file(RecordSource& source);

  // Reads that many bytes of one record, 1 to all of it, and returns when read(2) would.
  Task read_record(Process& process, File file, std::uint64_t index, std::uint32_t bytes);

  // Brings one record into memory and decompresses it, unless it is the one of the file that was read last.
  Task fetch(Process& process, File file, std::uint64_t index);

  // The record was written: its new content is in the ARC.
  void written(File file, std::uint64_t index);

  // Totals since the start.
  [[nodiscard]] std::uint64_t device_reads() const { return device_reads_; }  // aggregated I/Os
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }      // psize
  [[nodiscard]] std::uint64_t promotions() const { return promotions_; }

 private:
  enum class State : std::uint8_t { on_disk, queued_async, queued_sync, in_flight, cached };
  struct Extent {
    std::uint64_t offset;  // on the device
    std::uint32_t psize;   // 0: a hole or embedded, nothing to read
  };
  struct Stream {  // module/zfs/dmu_zfetch.c: one sequential reader of a file
    bool exists = false;
    std::uint64_t next = 0;        // the access that extends it
    std::uint64_t prefetched = 0;  // records before this one were asked for
  };
  struct FileState {
    RecordSource* source;
    std::uint64_t first;  // its first record among all records
    std::uint64_t records;
    Stream stream;
    std::uint64_t last_read;  // its uncompressed copy is at hand (the dbuf cache, of one record)
  };
  struct Read {  // one I/O on the device
    ZfsReadSide* side;
    std::uint64_t first;
    std::uint64_t end;
    bool sync;
  };

  FileState& new_file(RecordSource& source);
  void place(FileState& file);
  void keep(std::uint64_t record);
  void demand(std::uint64_t record);
  void prefetch(FileState& file, std::uint64_t index);
  void issue();
  bool pick(std::uint64_t& record, bool& sync);
  void start(std::uint64_t record, bool sync);
  [[nodiscard]] bool queued(std::uint64_t record) const {
    return state_[record] == State::queued_async || state_[record] == State::queued_sync;
  }
  [[nodiscard]] bool joins(std::uint64_t low, std::uint64_t high) const;
  void dequeue(std::uint64_t record);
  static void read_done(void* read);

  Processor& processor_;
  DeviceQueue& device_;
  const ZfsReadParameters parameters_;
  Random random_;
  std::vector<FileState> files_;
  // By record, in the order of their place on the device.
  std::vector<State> state_;
  std::vector<Extent> extents_;
  std::uint64_t end_offset_ = 0;
  std::unique_ptr<LruRecords> arc_;  // null: what is in memory stays there
  Condition arrived_;
  std::deque<std::uint64_t> sync_queue_;  // first in, first out; may hold records that were aggregated meanwhile
  std::uint64_t sync_waiting_ = 0;
  std::set<std::uint64_t> async_queue_;
  std::uint32_t sync_active_ = 0;
  std::uint32_t async_active_ = 0;
  std::uint64_t last_record_ = 0;  // vq_last_offset: behind the I/O that was issued last
  std::vector<std::unique_ptr<Read>> reads_;
  std::vector<Read*> idle_reads_;
  std::uint64_t device_reads_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t promotions_ = 0;
};

}  // namespace blkpress::sim
