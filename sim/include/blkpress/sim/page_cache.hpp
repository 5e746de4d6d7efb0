// Filesystems behind the page cache (Btrfs, F2FS), write side: dirty pages, flusher, space reservations, device queue.
//
// A buffered write copies into a page of memory and returns; a flusher writes dirty pages back later. docs/models.md
// explains the mechanisms and has the ablation that shows what each one does. Threads: those of the Scheduler.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "blkpress/bytes.hpp"
#include "blkpress/sim/device_queue.hpp"
#include "blkpress/sim/filesystem.hpp"
#include "blkpress/sim/resource.hpp"

namespace blkpress::sim {

inline constexpr std::uint32_t kPageBytes = 4096;

// Space that a filesystem reserves for the metadata of each page that becomes dirty and gives back when the page's
// extent is in its trees (Btrfs). Writers wait when it is used up.
struct PageReservation {
  std::uint64_t pages;            // that may be reserved at once, >= 1
  Duration contended_write_time;  // CPU time of the kernel for one page when it is short, in place of write_time
  Duration finish_time;           // CPU time of the kernel's worker to finish one page's extent
  double finish_batch;            // pages that are given back at once, on average; >= 1
  Duration commit_pause;          // nothing is reserved or finished while a transaction commits
  Duration commit_interval = seconds(30);  // between two commits, at least; Btrfs' mount option commit=30
};

// The kernel's settings and what the filesystem on this host costs.
struct PageCacheParameters {
  std::uint64_t dirty_background = 0;     // bytes of dirty pages above which the flusher starts (vm.dirty_background_*)
  Duration dirty_expire = seconds(30);    // everything is written back by then (vm.dirty_expire_centisecs)
  std::uint64_t flush_chunk = 52 * kMiB;  // bytes that the flusher writes before it looks at the limit again
  Duration flush_time{};                  // CPU time of the flusher for one page
  Duration write_time{};                  // CPU time of the kernel for one page
  Duration flusher_wait{};                // what a page's write waits for locks while a write-back is going on
  Duration wait_at_once = microseconds(400);  // such waiting is done in pieces of this length
  bool out_of_place = true;                  // pages go to one place after the other (F2FS), or each to its own (nocow)
  std::uint64_t request_bytes = 256 * kKiB;  // of one request to the device, at most
  double requests_per_bio = 4;               // that a stacked device (device mapper) makes of one I/O, on average; >= 1
  std::optional<PageReservation> reservation = std::nullopt;
};

// The kernel's counters of a block device (/proc/diskstats), writes only.
struct BlockDeviceCounters {
  std::uint64_t ios = 0;  // completed
  std::uint64_t bytes = 0;
  Duration waiting{};  // of all completed I/Os, from submission to completion
  Duration busy{};     // at least one in flight
};

class PageCacheFilesystem final : public FilesystemModel {
 public:
  // All references must outlive the model.
  PageCacheFilesystem(Scheduler& scheduler, Processor& processor, DeviceQueue& device,
                      const PageCacheParameters& parameters);

  // A record is a page.
  File create(RecordSource& source) override;
  Task write_record(Process& process, File file, std::uint64_t index) override;

  // Writes these pages, one call of write(2) after the other, with as much CPU time of the caller itself before each;
  // returns when the last call would. Cheaper than one record at a time, with the same result but for the moments
  // within. pages must outlive the call.
  Task write_pages(Process& process, File file, const std::vector<std::uint64_t>& pages, Duration user_per_page);

  // Dirty, or on their way to the device.
  [[nodiscard]] std::uint64_t dirty_bytes() const override;

  // Up to the present time: of the stacked device that the filesystem is on, and of the device below it.
  [[nodiscard]] BlockDeviceCounters stacked_device() const;
  [[nodiscard]] BlockDeviceCounters device() const;

  // Totals since the start.
  [[nodiscard]] std::uint64_t pages_written() const { return pages_written_; }
  [[nodiscard]] std::uint64_t commits() const { return commits_; }
  [[nodiscard]] std::uint64_t most_dirty_bytes() const { return most_dirty_ * kPageBytes; }

 private:
  struct FileState {
    std::vector<std::uint64_t> dirty;  // a bit a page
    std::uint64_t dirty_pages = 0;
    std::uint64_t cursor = 0;  // where the flusher goes on
  };
  // One device's counters while it works.
  struct Gauge {
    BlockDeviceCounters counters;
    std::uint64_t in_flight = 0;
    Instant busy_since{};
    void begin(Instant now);
    void end(Instant now, Instant submitted, std::uint64_t bytes);
    [[nodiscard]] BlockDeviceCounters at(Instant now) const;
  };
  // One I/O of the stacked device: its requests follow each other on the device below.
  struct Bio {
    PageCacheFilesystem* filesystem;
    Instant submitted;
    std::uint64_t pages;
    std::uint32_t requests;       // not yet complete
    std::uint64_t request_bytes;  // of each of them, on average
  };
  struct Run {  // pages that follow each other on the device
    std::uint64_t offset;
    std::uint64_t pages;
  };

  bool make_dirty(FileState& file, std::uint64_t page);
  Task wait_for_reservation(Process& process);
  Task wait_for_flusher(Process& process, std::uint64_t pages);
  [[nodiscard]] bool nothing_to_reserve() const;

  [[nodiscard]] bool flush_is_due() const;
  [[nodiscard]] bool writing_back() const { return flushing_ || in_flight_pages_ > 0; }
  void wake_flusher();
  void arm_expiry();
  static void expired(void* self);
  Task flush_loop();
  Task flush_chunk();
  std::uint64_t next_bio_pages();
  // Takes up to that many dirty pages of one file, in the order of their offsets, into runs_; returns how many.
  std::uint64_t collect(std::uint64_t pages);
  void add_to_runs(std::uint64_t page);
  void submit(const Run& run);
  Bio& new_bio();
  static void request_done(void* bio);
  void pages_done(std::uint64_t pages);

  Task finish_loop();
  Task commit();
  void give_back(std::uint64_t pages);

  Scheduler& scheduler_;
  Processor& processor_;
  DeviceQueue& device_;
  const PageCacheParameters parameters_;
  std::vector<FileState> files_;
  std::size_t flushed_file_ = 0;  // which file the flusher is at

  std::uint64_t dirty_ = 0;  // pages
  std::uint64_t most_dirty_ = 0;
  std::uint64_t in_flight_pages_ = 0;
  std::uint64_t pages_written_ = 0;
  Duration wait_owed_{};
  bool expiry_armed_ = false;
  bool flush_all_ = false;
  bool flushing_ = false;
  Condition flush_wanted_;
  Processor::Thread flush_thread_;
  double requests_owed_ = 0;

  std::vector<Run> runs_;
  std::vector<std::unique_ptr<Bio>> bios_;
  std::vector<Bio*> idle_bios_;
  std::uint64_t next_offset_ = 0;  // where the log goes on, out of place
  Gauge stacked_;
  Gauge device_gauge_;

  std::uint64_t reserved_ = 0;    // pages
  std::uint64_t to_finish_ = 0;   // pages on the device whose extents are not in the trees yet
  std::uint64_t unfinished_ = 0;  // pages submitted and not finished
  bool short_ = false;
  bool committing_ = false;
  std::optional<Instant> last_commit_;
  std::uint64_t commits_ = 0;
  double batch_owed_ = 0;
  Condition reservation_free_;
  Condition finish_wanted_;
  Condition finished_;
  Processor::Thread finish_thread_;
};

}  // namespace blkpress::sim
