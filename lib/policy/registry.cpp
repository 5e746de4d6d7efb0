#include "policy/registry.hpp"

#include <fmt/format.h>

#include <array>

namespace blkpress {
namespace {

PolicyInfo named(PolicyInfo info, std::string_view name) {
  info.name = name;
  return info;
}

}  // namespace

std::span<const PolicyInfo> policies() {
  static const std::array list{
#define BLKPRESS_POLICY(identifier, name) named(identifier##_policy(), name),
#include "policy/policies.def"
#undef BLKPRESS_POLICY
  };
  return list;
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view name, std::span<const Property> properties) {
  std::string names;
  for (const PolicyInfo& policy : policies()) {
    if (policy.name == name) return policy.make(properties);
    names += names.empty() ? "" : " | ";
    names += policy.name;
  }
  return Error{ErrorKind::usage, fmt::format("policy '{}' is not one of: {}", name, names)};
}

}  // namespace blkpress
