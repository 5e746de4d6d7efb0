#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "blkpress/sim/device.hpp"
#include "device/device_makers.hpp"

namespace blkpress::sim {

namespace {

struct Entry {
  DeviceKind kind;
  Result<std::unique_ptr<DeviceModel>> (*make)(DeviceSettings& settings);
};

constexpr auto kEntries = std::to_array<Entry>({
#define BLKPRESS_DEVICE(name, description) {{#name, description}, &make_##name},
#include "device/devices.def"
#undef BLKPRESS_DEVICE
});

constexpr auto kKinds = [] {
  std::array<DeviceKind, kEntries.size()> kinds;
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = kEntries[i].kind;
  return kinds;
}();

}  // namespace

std::span<const DeviceKind> device_kinds() { return kKinds; }

Result<std::unique_ptr<DeviceModel>> make_device(std::string_view kind, const std::vector<DeviceSetting>& settings) {
  for (const Entry& entry : kEntries) {
    if (entry.kind.name != kind) continue;
    DeviceSettings reader(kind, settings);
    return entry.make(reader);
  }
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.kind.name);
  return Error{ErrorKind::usage, fmt::format("device kind {} is none of {}", kind, fmt::join(names, ", "))};
}

}  // namespace blkpress::sim
