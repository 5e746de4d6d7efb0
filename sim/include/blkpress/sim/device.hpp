// Devices: what the storage below a filesystem takes for a request.
//
// A model maps (request, now) to the time of completion and holds no clock, so the same model serves virtual time and a
// real device that is slowed down. Requests must come in the order of `now`.
// Threads: a DeviceModel belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/result.hpp"
#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

struct DeviceRequest {
  enum class Kind : std::uint8_t { read, write, flush };
  Kind kind;
  std::uint64_t offset;  // bytes from the start of the device
  std::uint64_t bytes;   // 0 for a flush
};

class DeviceModel {
 public:
  virtual ~DeviceModel() = default;
  // When a request that reaches the device at `now` is complete; >= now.
  virtual Instant complete_at(const DeviceRequest& request, Instant now) = 0;
};

// One `key = value` of a device file or of the command line, value as text.
struct DeviceSetting {
  std::string key;
  std::string value;
};

// Makes a device of a kind of devices.def ("cloud", "hdd", "ssd", "fixed") from settings; unknown keys, missing keys
// and values out of range are usage errors that say what would be right.
Result<std::unique_ptr<DeviceModel>> make_device(std::string_view kind, const std::vector<DeviceSetting>& settings);

// Reads a device file (TOML: kind = "…", and its settings), with `overrides` in place of or beside its settings.
Result<std::unique_ptr<DeviceModel>> load_device(const std::string& path,
                                                 const std::vector<DeviceSetting>& overrides = {});

}  // namespace blkpress::sim
