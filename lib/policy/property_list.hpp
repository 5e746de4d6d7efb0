// The properties that a policy was given, looked up by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "blkpress/policy.hpp"

namespace blkpress {

class PropertyList {
 public:
  // names: those that the policy takes, comma separated, as in PolicyInfo.
  PropertyList(std::string_view policy, std::string_view names, std::span<const Property> properties)
      : policy_(policy), names_(names), properties_(properties) {}

  // Errors: usage, for a property that the policy does not take.
  [[nodiscard]] Status check_names() const;
  // The value of the last one of that name; null when it was not given.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  // Each gives otherwise when the property was not given. Errors: usage.
  [[nodiscard]] Result<bool> on_off(std::string_view name, bool otherwise) const;
  [[nodiscard]] Result<std::uint64_t> number(std::string_view name, std::uint64_t least, std::uint64_t most,
                                             std::uint64_t otherwise) const;

 private:
  std::string_view policy_;
  std::string_view names_;
  std::span<const Property> properties_;
};

}  // namespace blkpress
