#include "device/device_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace blkpress::sim {

namespace {

std::optional<double> parse(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

const std::string* DeviceSettings::find(std::string_view key) {
  known_.emplace_back(key);
  const auto found = std::find_if(settings_.rbegin(), settings_.rend(),
                                  [&](const DeviceSetting& setting) { return setting.key == key; });
  return found == settings_.rend() ? nullptr : &found->value;
}

void DeviceSettings::fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
}

double DeviceSettings::number(std::string_view key, double low, double high, std::optional<double> otherwise) {
  const std::string* text = find(key);
  if (text == nullptr) {
    if (!otherwise) fail(fmt::format("device {} needs {}, a number from {} to {}", kind_, key, low, high));
    return otherwise.value_or(low);
  }
  const std::optional<double> value = parse(*text);
  // Written so that "nan" fails too.
  if (value && *value >= low && *value <= high) return *value;
  fail(fmt::format("device {}: {} = {} is not a number from {} to {}", kind_, key, *text, low, high));
  return low;
}

std::uint64_t DeviceSettings::count(std::string_view key, std::uint64_t low, std::uint64_t high,
                                    std::optional<std::uint64_t> otherwise) {
  std::optional<double> fallback;
  if (otherwise) fallback = static_cast<double>(*otherwise);
  const double value = number(key, static_cast<double>(low), static_cast<double>(high), fallback);
  const auto whole = static_cast<std::uint64_t>(value);
  if (static_cast<double>(whole) != value)
    fail(fmt::format("device {}: {} = {} is not a whole number", kind_, key, value));
  return whole;
}

std::string DeviceSettings::choice(std::string_view key, const std::vector<std::string_view>& choices,
                                   std::string_view otherwise) {
  const std::string* text = find(key);
  if (text == nullptr) return std::string(otherwise);
  if (std::find(choices.begin(), choices.end(), *text) == choices.end()) {
    fail(fmt::format("device {}: {} = {} is none of {}", kind_, key, *text, fmt::join(choices, ", ")));
  }
  return *text;
}

void DeviceSettings::require(bool holds, std::string_view message) {
  if (!holds) fail(fmt::format("device {}: {}", kind_, message));
}

Status DeviceSettings::status() const {
  for (const DeviceSetting& setting : settings_) {
    if (std::find(known_.begin(), known_.end(), setting.key) == known_.end()) {
      return Error{ErrorKind::usage,
                   fmt::format("device {} has no setting {}; it has {}", kind_, setting.key, fmt::join(known_, ", "))};
    }
  }
  if (!error_.empty()) return Error{ErrorKind::usage, error_};
  return ok();
}

}  // namespace blkpress::sim
