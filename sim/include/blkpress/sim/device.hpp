// Devices: what the storage below a filesystem takes for a request.
//
// A model maps (request, now) to the time of completion and holds no clock, so the same model serves virtual time and a
// real device that is slowed down. Requests must come in the order of `now`. The kinds are listed in devices.def and
// described, setting by setting, in docs/devices.md; ready-made settings lie in data/devices.
// Threads: a DeviceModel belongs to one thread; the functions are pure but for reading the file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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

// Something that a device counted since the start.
struct DeviceFigure {
  std::string name;  // with its unit: "flash_written_mib"
  double value;
};

class DeviceModel {
 public:
  virtual ~DeviceModel() = default;

  // When a request that reaches the device at `now` is complete; >= now. Offsets beyond the end wrap around.
  virtual Instant complete_at(const DeviceRequest& request, Instant now) = 0;

  // How many requests the device wants to know of before it chooses the next one. 1: it serves them as they come, and
  // complete_at() may be called at once. More: for its order to count, the caller keeps the requests and
  // calls complete_at() when the device is free, with the one that choose() picked.
  [[nodiscard]] virtual std::uint32_t queue_depth() const { return 1; }
  // The index of the request that the device would serve next; waiting is in the order of arrival and not empty.
  [[nodiscard]] virtual std::size_t choose(std::span<const DeviceRequest> waiting) const {
    static_cast<void>(waiting);
    return 0;
  }

  // What happened inside, for reports: an SSD's write amplification. Empty for kinds that count nothing.
  [[nodiscard]] virtual std::vector<DeviceFigure> figures() const { return {}; }
};

// One `key = value` of a device file or of the command line, value as text.
struct DeviceSetting {
  std::string key;
  std::string value;
};

struct DeviceKind {
  std::string_view name;
  std::string_view description;  // one line
};
// Every kind, in the order of devices.def.
std::span<const DeviceKind> device_kinds();

// Makes a device of a kind ("cloud", "hdd", …) from settings. A later setting of the same key wins. Unknown keys,
// missing keys and values out of range are usage errors that say what would be right.
Result<std::unique_ptr<DeviceModel>> make_device(std::string_view kind, const std::vector<DeviceSetting>& settings);

// Reads a device file (TOML: kind = "…", and its settings), with `overrides` in place of or beside its settings.
// Errors: io, when it cannot be read; usage.
Result<std::unique_ptr<DeviceModel>> load_device(const std::string& path,
                                                 const std::vector<DeviceSetting>& overrides = {});

}  // namespace blkpress::sim
