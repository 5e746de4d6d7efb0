// Filesystem zfs. Write side: dirty limit, write throttle, transaction groups, compressing threads, vdev queue. The
// read side is zfs_read_side.hpp.
//
// docs/models.md explains the mechanisms and has the ablation that shows what each one does.
// Threads: those of the Scheduler.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "blkpress/random.hpp"
#include "blkpress/result.hpp"
#include "blkpress/sim/device_queue.hpp"
#include "blkpress/sim/distribution.hpp"
#include "blkpress/sim/filesystem.hpp"
#include "blkpress/sim/resource.hpp"
#include "blkpress/sim/zfs_read_side.hpp"
#include "blkpress/zfs_policy.hpp"

namespace blkpress::sim {

// OpenZFS's module parameters that matter for writes, and what the host adds.
struct ZfsWriteParameters {
  std::uint64_t recordsize = 128 * kKiB;
  std::uint64_t dirty_data_max = 0;  // zfs_dirty_data_max, bytes
  bool write_delay = true;           // dmu_tx_delay exists (OpenZFS 0.6.4 and later)
  std::uint32_t delay_min_dirty_percent = 60;
  std::int64_t delay_scale_ns = 500'000;
  Duration delay_max = milliseconds(100);
  std::uint32_t dirty_data_sync_percent = 20;
  Duration txg_timeout = seconds(5);
  std::uint32_t compress_threads = 1;
  std::uint32_t async_write_min_active = 2;
  std::uint32_t async_write_max_active = 10;
  std::uint32_t active_min_dirty_percent = 30;
  std::uint32_t active_max_dirty_percent = 60;
  std::uint64_t aggregation_limit = kMiB;
  // The part of a transaction group's sync that writes metadata: no data drains meanwhile.
  Duration metadata_phase{};
  double metadata_share = 0;  // bytes of metadata per byte of data
  // The host.
  UniformMixture copy_time;    // CPU time of write(2) for one record
  Duration timer_slack{};      // a sleep ends up to this much late, uniformly
  double speed_variation = 0;  // relative standard deviation of CPU speed from one transaction group to the next

  // The defaults of a version on a host: thread counts, dirty limit, sync threshold.
  // memory_bytes: MemTotal. rotational: what the block layer says of the device.
  static ZfsWriteParameters defaults(ZfsVersion version, std::uint64_t memory_bytes, std::uint32_t cores,
                                     bool rotational);
};

// What a user may say of the write side; the rest are the version's defaults on the host.
struct ZfsWriteSettings {
  bool rotational = true;                                      // what the block layer says of the device
  std::optional<std::uint64_t> dirty_data_max = std::nullopt;  // bytes
  Duration metadata_phase{};
  double metadata_share = 0;  // 0 to 10
  UniformMixture copy_time = {};
  Duration timer_slack{};
  double speed_variation = 0;  // 0 to 0.2
  bool write_delay = true;
  std::uint32_t more_compress_threads = 0;  // on top of the version's

  // Errors: usage: a dirty limit below two records.
  [[nodiscard]] Result<ZfsWriteParameters> parameters(const ZfsOptions& options, std::uint64_t memory_bytes,
                                                      std::uint32_t cores) const;
};

class ZfsFilesystem final : public FilesystemModel {
 public:
  // All references must outlive the model. random, read_random: streams of their own.
  ZfsFilesystem(Scheduler& scheduler, Processor& processor, DeviceQueue& device, const ZfsWriteParameters& parameters,
                const ZfsReadParameters& read, Random random, Random read_random);

  File create(RecordSource& source) override;
  Task write_record(Process& process, File file, std::uint64_t index) override;
  [[nodiscard]] bool parts() const override { return true; }
  Task write_part(Process& process, File file, std::uint64_t index, std::uint32_t bytes) override;
  Task sync(Process& process) override;
  [[nodiscard]] bool reads() const override { return true; }
  File open(RecordSource& source, std::optional<std::uint64_t> resident) override;
  Task read_record(Process& process, File file, std::uint64_t index) override;
  Task read_part(Process& process, File file, std::uint64_t index, std::uint32_t bytes) override;
  [[nodiscard]] std::uint64_t dirty_bytes() const override { return dirty_; }

  // Totals since the start.
  [[nodiscard]] std::uint64_t transaction_groups() const { return groups_synced_; }
  [[nodiscard]] std::uint64_t bytes_written() const { return bytes_written_; }  // data records, psize
  [[nodiscard]] std::uint64_t device_writes() const { return device_writes_; }  // aggregated I/Os of data
  [[nodiscard]] std::uint64_t delayed_writes() const { return delayed_writes_; }
  [[nodiscard]] Duration compress_time() const { return compress_time_; }
  [[nodiscard]] const ZfsReadSide& read_side() const { return read_side_; }

 private:
  struct FileState {
    RecordSource* source;
    std::uint32_t record_bytes;
    std::vector<std::uint64_t> dirty = {};  // records of the open transaction group, in the order of writing
    std::vector<bool> is_dirty = {};        // by record: it is in dirty; writing it again changes nothing
    ZfsReadSide::File read_file = 0;
  };
  struct DirtyRecord {
    RecordSource* source;
    std::uint64_t index;
    std::uint32_t record_bytes;
  };
  struct QueuedWrite {
    std::uint64_t offset;
    std::uint32_t psize;
    std::uint32_t record_bytes;
  };
  struct Aggregate {  // one I/O on the device
    ZfsFilesystem* filesystem;
    std::uint32_t records;
    std::uint64_t psize;
    std::uint64_t dirty_bytes;
  };

  Task throttle(Process& process, Instant start);
  Duration minimum_transaction_time() const;
  void add_dirty(FileState& file, std::uint64_t index);
  void remove_dirty(std::uint64_t bytes);
  void arm_timeout();
  static void timeout(void* self);
  [[nodiscard]] bool sync_is_due() const;

  Task sync_loop();
  Task write_metadata(std::uint64_t data_bytes);
  Task compress_loop(Processor::Thread& thread);
  void records_done(std::uint32_t records, std::uint64_t dirty_bytes);

  [[nodiscard]] std::uint32_t max_active() const;
  Aggregate& new_aggregate();
  void issue_writes();
  static void write_done(void* aggregate);

  Scheduler& scheduler_;
  Processor& processor_;
  DeviceQueue& device_;
  const ZfsWriteParameters parameters_;
  Random random_;
  ZfsReadSide read_side_;
  std::vector<FileState> files_;

  std::uint64_t dirty_ = 0;       // of all transaction groups
  std::uint64_t dirty_open_ = 0;  // of the open one
  Instant last_wakeup_{};
  Condition space_;

  Instant group_opened_{};  // its first write: an empty group needs no sync
  bool timeout_armed_ = false;
  Condition sync_wanted_;
  bool sync_requested_ = false;  // somebody waits for the open group: it closes at once
  std::uint64_t groups_closed_ = 0;
  Condition group_synced_;
  std::uint64_t syncing_records_ = 0;  // of the group that syncs: not yet stored
  std::uint64_t syncing_bytes_ = 0;    // psize stored so far
  Condition group_stored_;
  std::int64_t slowness_ppm_ = 1'000'000;  // CPU time factor of this group, in millionths

  std::deque<DirtyRecord> to_compress_;
  Condition compress_wanted_;
  std::vector<std::unique_ptr<Processor::Thread>> compress_threads_;

  std::deque<QueuedWrite> queue_;  // in order of offset, which is the order of allocation
  std::vector<std::unique_ptr<Aggregate>> aggregates_;
  std::vector<Aggregate*> idle_aggregates_;
  std::uint32_t active_ = 0;
  std::uint64_t next_offset_ = 0;

  std::uint64_t groups_synced_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::uint64_t device_writes_ = 0;
  std::uint64_t delayed_writes_ = 0;
  Duration compress_time_{};
};

}  // namespace blkpress::sim
