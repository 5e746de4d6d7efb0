#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "blkpress/btrfs_policy.hpp"
#include "policy/btrfs_layout.hpp"
#include "policy/property_list.hpp"

namespace blkpress {
namespace {

Error wrong(std::string message) { return {ErrorKind::usage, std::move(message)}; }

constexpr std::string_view kChoices = "no | zlib | zlib:[1-9] | lzo | zstd | zstd:[-15--1] | zstd:[1-15]";

// A level behind the colon: Linux, fs/btrfs/compression.c:btrfs_compress_set_level. 0 or none is the default of 3; zlib
// goes to 9, zstd to 15, and down to -15 since 6.15; what is beyond is moved to the limit.
std::optional<int> parse_level(std::string_view text, BtrfsCodec codec) {
  int level = 0;
  if (!text.empty()) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  }
  switch (codec) {
    case BtrfsCodec::zlib:
      return level <= 0 ? 3 : std::min(level, 9);
    case BtrfsCodec::zstd:
      return level == 0 ? 3 : std::clamp(level, -15, 15);
    default:
      return 0;  // lzo: accepted and ignored
  }
}

Status parse_compression(std::string_view name, std::string_view text, BtrfsOptions& options) {
  const std::size_t colon = text.find(':');
  const std::string_view codec = text.substr(0, colon);
  const std::string_view level_text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  // compress without a value is zlib.
  if (text == "no" || text == "none") {
    options.codec = BtrfsCodec::none;
  } else if (codec == "zlib" || text.empty()) {
    options.codec = BtrfsCodec::zlib;
  } else if (codec == "lzo") {
    options.codec = BtrfsCodec::lzo;
  } else if (codec == "zstd") {
    options.codec = BtrfsCodec::zstd;
  } else {
    return wrong(fmt::format("{} '{}' is not one of: {}", name, text, kChoices));
  }
  const auto level = parse_level(level_text, options.codec);
  if (!level || (colon != std::string_view::npos && level_text.empty())) {
    return wrong(fmt::format("{} '{}' is not one of: {}", name, text, kChoices));
  }
  options.level = *level;
  return ok();
}

}  // namespace

Result<BtrfsOptions> BtrfsOptions::parse(std::span<const Property> properties) {
  const PropertyList list("btrfs", kBtrfsPropertyNames, properties);
  BLKPRESS_TRY(list.check_names());
  BtrfsOptions options;
  const std::string* compress = list.find("compress");
  const std::string* force = list.find("compress-force");
  if (compress != nullptr && force != nullptr) return wrong("compress and compress-force exclude each other; set one");
  if (compress != nullptr) BLKPRESS_TRY(parse_compression("compress", *compress, options));
  if (force != nullptr) {
    BLKPRESS_TRY(parse_compression("compress-force", *force, options));
    options.force = options.codec != BtrfsCodec::none;
  }
  const auto max_inline = list.number("max_inline", 0, kBtrfsSector, options.max_inline);
  if (!max_inline) return max_inline.error();
  options.max_inline = static_cast<std::uint32_t>(*max_inline);
  const auto nodatacow = list.on_off("nodatacow", false);
  if (!nodatacow) return nodatacow.error();
  options.nodatacow = *nodatacow;
  const auto fallocated = list.on_off("fallocate", false);
  if (!fallocated) return fallocated.error();
  options.fallocated = *fallocated;
  BLKPRESS_TRY(options.check());
  return options;
}

Status BtrfsOptions::check() const {
  const bool level_fits = codec == BtrfsCodec::zlib   ? level >= 1 && level <= 9
                          : codec == BtrfsCodec::zstd ? level != 0 && level >= -15 && level <= 15
                                                      : level == 0;
  if (!level_fits) return wrong(fmt::format("compress {} is not one of: {}", compression(), kChoices));
  if (max_inline > kBtrfsSector) return wrong(fmt::format("max_inline {} is not between 0 and 4096", max_inline));
  if (codec == BtrfsCodec::lzo && !blkpress::parse_compression("lzo")) {
    return wrong("compress lzo is not in this build, which was configured without liblzo2; zlib and zstd are");
  }
  return ok();
}

std::string BtrfsOptions::compression() const {
  switch (codec) {
    case BtrfsCodec::zlib:
      return fmt::format("zlib:{}", level);
    case BtrfsCodec::zstd:
      return fmt::format("zstd:{}", level);
    case BtrfsCodec::lzo:
      return "lzo";
    case BtrfsCodec::none:
      break;
  }
  return "no";
}

}  // namespace blkpress
