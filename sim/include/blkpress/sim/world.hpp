// World: what a workload runs on. One host, one device, one filesystem, one clock.
//
// Threads: a World and everything in it belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/btrfs_policy.hpp"
#include "blkpress/f2fs_policy.hpp"
#include "blkpress/sim/device_queue.hpp"
#include "blkpress/sim/filesystem.hpp"
#include "blkpress/sim/host.hpp"
#include "blkpress/sim/page_cache.hpp"
#include "blkpress/sim/zfs_filesystem.hpp"
#include "blkpress/zfs_policy.hpp"

namespace blkpress::sim {

struct WorldOptions {
  std::string host_file;                            // data/hosts/….toml
  std::string device_file;                          // data/devices/….toml
  std::vector<DeviceSetting> device_settings = {};  // in place of the file's
  std::vector<HostSetting> host_settings = {};      // the same
  ZfsOptions zfs = {};
  // Which of filesystems() is simulated, by name.
  std::string filesystem = "zfs";
  ZfsWriteSettings write = {};
  ZfsReadSettings read = {};
  // Of filesystems btrfs and f2fs: what they would compress, and what they cost on this host.
  BtrfsOptions btrfs = {};
  F2fsOptions f2fs = {};
  PageCacheParameters btrfs_write = {};
  PageCacheParameters f2fs_write = {};
  Duration time_slice = milliseconds(3);
  std::uint64_t seed = 1;
};

// Streams of the seed, one per component.
enum class RandomStream : std::uint64_t { filesystem = 1, workload = 2, content = 3, filesystem_reads = 4 };

// No simulation takes more virtual time: what needs more is a mistake in its numbers.
inline constexpr Duration kLongestRun = seconds(100 * 86400);

// The names that WorldOptions::filesystem may have, in the order of the documentation.
std::span<const std::string_view> filesystems();

struct World {
  // Errors: those of the files it reads and of the options.
  static Result<std::unique_ptr<World>> make(const WorldOptions& options);

  // Runs until nothing is left to happen. Errors: usage, when that is not so after kLongestRun.
  Status run();

  WorldOptions options;
  HostModel host;
  std::unique_ptr<ZfsPolicy> policy;
  Scheduler scheduler;
  std::unique_ptr<Processor> processor;
  std::unique_ptr<DeviceModel> device;
  std::unique_ptr<DeviceQueue> device_queue;  // before the device: what the filesystem sends goes through it
  std::unique_ptr<FilesystemModel> filesystem;
  PageCacheFilesystem* page_cache = nullptr;  // the filesystem, when it is one behind the page cache

  // What the filesystem takes at a time: a record, or a page.
  [[nodiscard]] std::uint64_t record_bytes() const {
    return page_cache == nullptr ? options.zfs.recordsize : std::uint64_t{kPageBytes};
  }

  [[nodiscard]] Random random(RandomStream stream) const {
    return Random(options.seed, static_cast<std::uint64_t>(stream));
  }
};

}  // namespace blkpress::sim
