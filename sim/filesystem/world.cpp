#include "blkpress/sim/world.hpp"

#include <fmt/format.h>

#include <array>

namespace blkpress::sim {

namespace {

Status make_zfs(World& world) {
  const WorldOptions& options = world.options;
  const auto write = options.write.parameters(options.zfs, world.host.memory_bytes(), world.host.cores());
  if (!write) return write.error();
  const auto read = options.read.parameters(options.zfs, world.host.memory_bytes(), options.write.rotational);
  world.filesystem = std::make_unique<ZfsFilesystem>(world.scheduler, *world.processor, *world.device_queue, *write,
                                                     read, world.random(RandomStream::filesystem),
                                                     world.random(RandomStream::filesystem_reads));
  return ok();
}

Status make_page_cache(World& world, const PageCacheParameters& parameters) {
  auto filesystem =
      std::make_unique<PageCacheFilesystem>(world.scheduler, *world.processor, *world.device_queue, parameters);
  world.page_cache = filesystem.get();
  world.filesystem = std::move(filesystem);
  return ok();
}

Status make_filesystem(World& world) {
  if (world.options.filesystem == "zfs") return make_zfs(world);
  if (world.options.filesystem == "btrfs") {
    BLKPRESS_TRY(world.options.btrfs.check());
    return make_page_cache(world, world.options.btrfs_write);
  }
  if (world.options.filesystem == "f2fs") {
    BLKPRESS_TRY(world.options.f2fs.check());
    return make_page_cache(world, world.options.f2fs_write);
  }
  std::string names;
  for (const std::string_view name : filesystems()) names += (names.empty() ? "" : ", ") + std::string(name);
  return Error{ErrorKind::usage,
               fmt::format("filesystem '{}' is unknown; there are {}", world.options.filesystem, names)};
}

}  // namespace

std::span<const std::string_view> filesystems() {
  static constexpr std::array<std::string_view, 3> kFilesystems = {"zfs", "btrfs", "f2fs"};
  return kFilesystems;
}

Result<std::unique_ptr<World>> World::make(const WorldOptions& options) {
  auto world = std::make_unique<World>();
  world->options = options;
  auto host = HostModel::load(options.host_file, options.host_settings);
  if (!host) return host.error();
  world->host = std::move(*host);
  auto policy = ZfsPolicy::make(options.zfs);
  if (!policy) return policy.error();
  world->policy = std::move(*policy);
  auto device = load_device(options.device_file, options.device_settings);
  if (!device) return device.error();
  world->device = std::move(*device);
  world->device_queue = std::make_unique<DeviceQueue>(world->scheduler, *world->device);
  world->processor = std::make_unique<Processor>(world->scheduler, world->host.cores(), options.time_slice);
  BLKPRESS_TRY(make_filesystem(*world));
  return world;
}

Status World::run() {
  scheduler.run_until(Instant{} + kLongestRun);
  if (scheduler.idle()) return ok();
  return Error{ErrorKind::usage, "the simulation takes more than 100 days of virtual time"};
}

}  // namespace blkpress::sim
