// Values of a world from the command line: "device.rpm=10000", "host.cores=4", "zfs.dirty_data_max=64M".
//
// Threads: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "blkpress/policy.hpp"
#include "blkpress/result.hpp"
#include "blkpress/sim/world.hpp"

namespace blkpress::sim {

// Puts PART.KEY=VALUE into the options. Keys of host and device are those of their files, and World::make checks them;
// those of zfs are checked here. Errors: usage, with the parts or keys that exist.
Status apply_world_setting(std::string_view setting, WorldOptions& options);

// Properties of the filesystem that options.filesystem names: compression, recordsize, version… Errors: usage, also
// when there is no such filesystem.
Status apply_filesystem_properties(const std::vector<Property>& properties, WorldOptions& options);

}  // namespace blkpress::sim
