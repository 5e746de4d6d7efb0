// One maker for each kind of devices.def, defined in the file of that name.
#pragma once

#include <memory>

#include "blkpress/sim/device.hpp"
#include "device/device_settings.hpp"

namespace blkpress::sim {

#define BLKPRESS_DEVICE(name, description) Result<std::unique_ptr<DeviceModel>> make_##name(DeviceSettings& settings);
#include "device/devices.def"
#undef BLKPRESS_DEVICE

}  // namespace blkpress::sim
