#include "blkpress/sim/world.hpp"

namespace blkpress::sim {

Result<std::unique_ptr<World>> World::make(const WorldOptions& options) {
  auto world = std::make_unique<World>();
  world->options = options;
  auto host = HostModel::load(options.host_file);
  if (!host) return host.error();
  world->host = std::move(*host);
  auto policy = ZfsPolicy::make(options.zfs);
  if (!policy) return policy.error();
  world->policy = std::move(*policy);
  auto device = load_device(options.device_file, options.device_settings);
  if (!device) return device.error();
  world->device = std::move(*device);
  const auto write = options.write.parameters(options.zfs, world->host.memory_bytes(), world->host.cores());
  if (!write) return write.error();
  world->processor = std::make_unique<Processor>(world->scheduler, world->host.cores(), options.time_slice);
  world->filesystem = std::make_unique<ZfsFilesystem>(world->scheduler, *world->processor, *world->device, *write,
                                                      world->random(RandomStream::filesystem));
  return world;
}

Status World::run() {
  scheduler.run_until(Instant{} + kLongestRun);
  if (scheduler.idle()) return ok();
  return Error{ErrorKind::usage, "the simulation takes more than 100 days of virtual time"};
}

}  // namespace blkpress::sim
