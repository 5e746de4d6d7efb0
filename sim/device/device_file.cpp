#include <fmt/format.h>

#include <toml++/toml.h>

#include "blkpress/sim/device.hpp"
#include "blkpress/text_file.hpp"

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
  const auto text = read_text_file(path, "device file");
  if (!text) return text.error();
  BLKPRESS_TRY(check_dots(*text, path));
  std::string kind;
  std::vector<DeviceSetting> settings;
  try {
    const toml::table table = toml::parse(*text, path);
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
