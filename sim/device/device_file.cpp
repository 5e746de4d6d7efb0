#include <fmt/format.h>

#include <toml++/toml.h>
#include <fstream>
#include <sstream>

#include "blkpress/sim/device.hpp"

namespace blkpress::sim {

namespace {

// A value as the text that a user would have written on the command line.
std::optional<std::string> text_of(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<DeviceModel>> load_device(const std::string& path, const std::vector<DeviceSetting>& overrides) {
  std::ifstream file(path);
  if (!file) return Error{ErrorKind::io, fmt::format("device file {} cannot be read", path)};
  std::ostringstream text;
  text << file.rdbuf();
  std::string kind;
  std::vector<DeviceSetting> settings;
  try {
    const toml::table table = toml::parse(text.str(), path);
    for (const auto& [key, node] : table) {
      const std::optional<std::string> value = text_of(node);
      if (!value) {
        return Error{ErrorKind::usage, fmt::format("{}: {} is neither a number nor text", path, key.str())};
      }
      if (key.str() == "kind") {
        kind = *value;
      } else {
        settings.push_back({std::string(key.str()), *value});
      }
    }
  } catch (const toml::parse_error& error) {
    return Error{ErrorKind::usage, fmt::format("{}:{}: {}", path, error.source().begin.line, error.description())};
  }
  if (kind.empty()) return Error{ErrorKind::usage, fmt::format("{}: kind is missing, such as kind = \"cloud\"", path)};
  for (const DeviceSetting& setting : overrides) {
    if (setting.key == "kind") {
      kind = setting.value;
    } else {
      settings.push_back(setting);
    }
  }
  auto device = make_device(kind, settings);
  if (!device) return Error{device.error().kind, fmt::format("{}: {}", path, device.error().message)};
  return device;
}

}  // namespace blkpress::sim
