// Reads a device's settings by name and checks each: the one place where a wrong setting becomes a message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/sim/device.hpp"

namespace blkpress::sim {

class DeviceSettings {
 public:
  DeviceSettings(std::string_view kind, const std::vector<DeviceSetting>& settings)
      : kind_(kind), settings_(settings) {}

  // The value of a key, or `otherwise`, or (without one) an error. The first error is kept; reading goes on with the
  // lower limit, so that a maker can read everything first and ask status() once.
  double number(std::string_view key, double low, double high, std::optional<double> otherwise = {});
  std::uint64_t count(std::string_view key, std::uint64_t low, std::uint64_t high,
                      std::optional<std::uint64_t> otherwise = {});
  std::string choice(std::string_view key, const std::vector<std::string_view>& choices, std::string_view otherwise);

  // Records a rule that several settings break together.
  void require(bool holds, std::string_view message);

  // The first error; or that of a setting that nobody read.
  [[nodiscard]] Status status() const;

 private:
  const std::string* find(std::string_view key);
  void fail(std::string message);

  std::string kind_;
  const std::vector<DeviceSetting>& settings_;
  std::vector<std::string> known_;
  std::string error_;
};

}  // namespace blkpress::sim
