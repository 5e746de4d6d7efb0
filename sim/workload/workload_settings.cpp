#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "blkpress/sim/workload.hpp"

namespace blkpress::sim {

const std::string* WorkloadSettings::find(std::string_view key) {
  known_.emplace_back(key);
  for (const auto& [name, value] : values_) {
    if (name == key) return &value;
  }
  return nullptr;
}

bool WorkloadSettings::has(std::string_view key) const {
  return std::any_of(values_.begin(), values_.end(), [&](const auto& setting) { return setting.first == key; });
}

void WorkloadSettings::fail(std::string message) {
  if (error_.empty()) error_ = source_ + ": " + std::move(message);
}

std::string WorkloadSettings::text(std::string_view key, std::optional<std::string> otherwise) {
  if (const std::string* value = find(key)) return *value;
  if (!otherwise) fail(fmt::format("{} is missing", key));
  return otherwise.value_or("");
}

double WorkloadSettings::number(std::string_view key, double low, double high, std::optional<double> otherwise) {
  const std::string* value = find(key);
  if (value == nullptr) {
    if (!otherwise) fail(fmt::format("{} is missing, a number from {} to {}", key, low, high));
    return otherwise.value_or(low);
  }
  double number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc{} || end != value->data() + value->size() || !(number >= low && number <= high)) {
    fail(fmt::format("{} = {} is not a number from {} to {}", key, *value, low, high));
    return low;
  }
  return number;
}

std::uint64_t WorkloadSettings::count(std::string_view key, std::uint64_t low, std::uint64_t high,
                                      std::optional<std::uint64_t> otherwise) {
  const std::string* value = find(key);
  if (value == nullptr) {
    if (!otherwise) fail(fmt::format("{} is missing, a whole number from {} to {}", key, low, high));
    return otherwise.value_or(low);
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc{} || end != value->data() + value->size() || number < low || number > high) {
    fail(fmt::format("{} = {} is not a whole number from {} to {}", key, *value, low, high));
    return low;
  }
  return number;
}

std::string WorkloadSettings::path(std::string_view key) {
  const std::filesystem::path name = text(key);
  return name.is_absolute() ? name.string() : (std::filesystem::path(folder_) / name).string();
}

Status WorkloadSettings::status() const {
  if (!error_.empty()) return Error{ErrorKind::usage, error_};
  for (const auto& [name, value] : values_) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
      return Error{ErrorKind::usage, fmt::format("{}: unknown setting {}", source_, name)};
    }
  }
  return ok();
}

}  // namespace blkpress::sim
