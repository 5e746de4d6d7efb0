#include "blkpress/sim/world_setting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "blkpress/size_format.hpp"

namespace blkpress::sim {

namespace {

Error usage(std::string message) { return {ErrorKind::usage, std::move(message)}; }

// A size such as 64M.
Result<std::uint64_t> size(std::string_view value, std::uint64_t low) {
  const auto bytes = parse_size(value);
  if (!bytes) return bytes.error();
  if (*bytes < low || *bytes > kTiB) return usage(fmt::format("'{}' is not a size from {} to {}", value, low, kTiB));
  return *bytes;
}

Result<double> number(std::string_view value, double low, double high) {
  double result = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), result);
  // Written so that "nan" fails too.
  if (problem == std::errc{} && end == value.data() + value.size() && result >= low && result <= high) return result;
  return usage(fmt::format("'{}' is not a number from {} to {}", value, low, high));
}

template <class T, class U>
Status store(const Result<T>& parsed, U& target) {
  if (!parsed) return parsed.error();
  target = *parsed;
  return ok();
}

Status store_time(const Result<double>& parsed, double seconds_each, Duration& target) {
  if (!parsed) return parsed.error();
  target = duration_of(*parsed * seconds_each);
  return ok();
}

Status set_rotational(std::string_view value, WorldOptions& options) {
  if (value != "yes" && value != "no") return usage(fmt::format("'{}' is neither yes nor no", value));
  options.write.rotational = value == "yes";
  return ok();
}

struct ZfsSetting {
  std::string_view key;
  Status (*set)(std::string_view value, WorldOptions& options);
};

// The limits are those of experiment.toml.
constexpr ZfsSetting kZfsSettings[] = {
    {"dirty_data_max", [](auto value, auto& o) { return store(size(value, kMiB / 2), o.write.dirty_data_max); }},
    {"arc_max", [](auto value, auto& o) { return store(size(value, kMiB), o.read.arc_max); }},
    {"rotational", set_rotational},
    {"metadata_share", [](auto value, auto& o) { return store(number(value, 0, 10), o.write.metadata_share); }},
    {"metadata_phase_ms",
     [](auto value, auto& o) { return store_time(number(value, 0, 1e5), 1e-3, o.write.metadata_phase); }},
    {"timer_slack_us",
     [](auto value, auto& o) { return store_time(number(value, 0, 1e6), 1e-6, o.write.timer_slack); }},
    {"speed_variation", [](auto value, auto& o) { return store(number(value, 0, 0.2), o.write.speed_variation); }},
    {"scattered_share", [](auto value, auto& o) { return store(number(value, 0, 1), o.read.scattered_share); }},
};

Status set_zfs(std::string_view key, std::string_view value, WorldOptions& options) {
  std::string known;
  for (const ZfsSetting& setting : kZfsSettings) {
    if (setting.key == key) return setting.set(value, options);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", setting.key);
  }
  return usage(fmt::format("zfs has no setting {}; it has {}", key, known));
}

}  // namespace

Status apply_world_setting(std::string_view setting, WorldOptions& options) {
  const std::size_t equals = setting.find('=');
  const std::size_t dot = setting.substr(0, equals).find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot == 0 || dot + 1 == equals) {
    return usage(fmt::format("--set '{}' is not PART.KEY=VALUE; PART is device, host or zfs", setting));
  }
  const std::string_view part = setting.substr(0, dot);
  const std::string key(setting.substr(dot + 1, equals - dot - 1));
  const std::string value(setting.substr(equals + 1));
  Status status = ok();
  if (part == "device") {
    options.device_settings.push_back({key, value});
  } else if (part == "host") {
    options.host_settings.emplace_back(key, value);
  } else if (part == "zfs") {
    status = set_zfs(key, value, options);
  } else {
    status = usage(fmt::format("'{}' is none of device, host, zfs", part));
  }
  if (!status) return usage(fmt::format("--set '{}': {}", setting, status.error().message));
  return ok();
}

Status apply_filesystem_properties(const std::vector<Property>& properties, WorldOptions& options) {
  const auto known = filesystems();
  if (std::find(known.begin(), known.end(), options.filesystem) == known.end()) {
    return usage(fmt::format("filesystem '{}' is unknown; there are {}", options.filesystem, fmt::join(known, ", ")));
  }
  if (options.filesystem != "zfs") {
    if (properties.empty()) return ok();
    return usage(fmt::format("-o {}={}: properties of filesystem {} are not simulated", properties.front().name,
                             properties.front().value, options.filesystem));
  }
  const auto zfs = ZfsOptions::parse(properties);
  if (!zfs) return zfs.error();
  options.zfs = *zfs;
  return ok();
}

}  // namespace blkpress::sim
