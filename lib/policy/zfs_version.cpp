#include <fmt/format.h>

#include <charconv>

#include "blkpress/zfs_policy.hpp"

namespace blkpress {
namespace {

// The number at the front of text, which it is taken off; nullopt: there is none.
std::optional<int> take_number(std::string_view& text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<ZfsVersion> parse_release(std::string_view text) {
  const auto major = take_number(text);
  if (!major || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  const auto minor = take_number(text);
  if (!minor || *major != 2 || *minor < 1 || *minor > 4) return std::nullopt;
  // A point release behaves as its series in everything that is modelled here.
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_number(text)) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return ZfsVersion::release(*major, *minor);
}

std::optional<ZfsVersion> parse_pool_version(std::string_view text) {
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  const auto number = take_number(text);
  if (!number || !text.empty() || *number < 13 || *number > 28) return std::nullopt;
  return ZfsVersion::pool_version(*number);
}

}  // namespace

Result<ZfsVersion> ZfsVersion::parse(std::string_view text) {
  if (const auto version = parse_release(text)) return *version;
  if (const auto version = parse_pool_version(text)) return *version;
  return Error{ErrorKind::usage, fmt::format("version '{}' is not one of: 2.1 | 2.2 | 2.3 | 2.4 | v13 to v28", text)};
}

std::string ZfsVersion::to_string() const {
  return before_feature_flags() ? fmt::format("v{}", pool) : fmt::format("{}.{}", major, minor);
}

}  // namespace blkpress
