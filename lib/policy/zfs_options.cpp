#include <fmt/format.h>

#include <charconv>

#include "blkpress/size_format.hpp"
#include "blkpress/zfs_policy.hpp"

namespace blkpress {
namespace {

constexpr std::string_view kNames =
    "version, layout, compression, recordsize, volblocksize, ashift, vdev, copies, exact_reasons";

Error wrong(std::string message) { return {ErrorKind::usage, std::move(message)}; }

// OpenZFS: zfs_max_recordsize is 1 MiB until 2.1 and 16 MiB since 2.2 (f2330bd156); before feature large_blocks 128
// KiB.
std::uint64_t max_recordsize(ZfsVersion version) {
  if (version.before_feature_flags()) return 128 * kKiB;
  return version < ZfsVersion::release(2, 2) ? kMiB : 16 * kMiB;
}

// What compression=on means: lz4 where the pool has it (OpenZFS 0.6.5, 99197f034e), lzjb before.
std::string_view on_codec(ZfsVersion version) { return version.before_feature_flags() ? "lzjb" : "lz4"; }

bool has_codec(ZfsVersion version, std::string_view codec) {
  if (codec == "off" || codec == "lzjb" || codec == "gzip") return true;
  if (codec == "zle") return !version.before_feature_flags() || version.pool >= 20;
  // lz4-lib writes what any lz4 reader takes, so it may stand where lz4 does.
  if (codec == "lz4" || codec == "lz4-lib" || codec == "zstd" || codec == "zstd-fast") {
    return !version.before_feature_flags();
  }
  return false;
}

std::string list_codecs(ZfsVersion version) {
  std::string names = "on";
  for (const CodecInfo& codec : codecs()) {
    if (has_codec(version, codec.name)) names += fmt::format(" | {}", codec.name);
  }
  return names;
}

Result<int> parse_int(std::string_view name, std::string_view text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    return wrong(fmt::format("{} {} is not between {} and {}", name, text, least, most));
  }
  return value;
}

const std::string* find(std::span<const Property> properties, std::string_view name) {
  const std::string* value = nullptr;
  for (const Property& property : properties) {
    if (property.name == name) value = &property.value;
  }
  return value;
}

Status check_names(std::span<const Property> properties) {
  for (const Property& property : properties) {
    bool known = false;
    for (std::string_view rest = kNames; !rest.empty();) {
      const std::size_t comma = rest.find(", ");
      known = known || rest.substr(0, comma) == property.name;
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 2);
    }
    if (!known) return wrong(fmt::format("policy zfs has no property '{}'; it has {}", property.name, kNames));
  }
  return ok();
}

// Everything that decides the defaults of the rest.
Result<ZfsOptions> parse_defaults(std::span<const Property> properties) {
  ZfsVersion version;
  if (const auto* text = find(properties, "version")) {
    auto parsed = ZfsVersion::parse(*text);
    if (!parsed) return parsed.error();
    version = *parsed;
  }
  ZfsLayout layout = ZfsLayout::file;
  if (const auto* text = find(properties, "layout")) {
    if (*text != "file" && *text != "volume")
      return wrong(fmt::format("layout '{}' is not one of: file | volume", *text));
    layout = *text == "volume" ? ZfsLayout::volume : ZfsLayout::file;
  }
  return ZfsOptions::defaults(version, layout);
}

Status parse_recordsize(std::span<const Property> properties, ZfsOptions& options) {
  const bool volume = options.layout == ZfsLayout::volume;
  const std::string_view name = volume ? "volblocksize" : "recordsize";
  if (find(properties, volume ? "recordsize" : "volblocksize") != nullptr) {
    return wrong(fmt::format("{} is not a property of a {}; set {}", volume ? "recordsize" : "volblocksize",
                             volume ? "volume" : "file system", name));
  }
  if (const auto* text = find(properties, name)) {
    const auto size = parse_size(*text);
    if (!size) return wrong(fmt::format("{}: {}", name, size.error().message));
    options.recordsize = *size;
  }
  return ok();
}

Status parse_vdev(std::span<const Property> properties, ZfsOptions& options) {
  int ashift = options.vdev.ashift;
  if (const auto* text = find(properties, "ashift")) {
    const auto value = parse_int("ashift", *text, 9, 16);
    if (!value) return value.error();
    ashift = *value;
  }
  const auto* text = find(properties, "vdev");
  const auto vdev = VdevGeometry::parse(text != nullptr ? std::string_view(*text) : "file", ashift);
  if (!vdev) return vdev.error();
  options.vdev = *vdev;
  return ok();
}

}  // namespace

ZfsOptions ZfsOptions::defaults(ZfsVersion version, ZfsLayout layout) {
  ZfsOptions options{.version = version, .layout = layout};
  // OpenZFS 2.2: compression=on by default (56fa4aa96e), volblocksize 16K instead of 8K (72f0521aba).
  const bool since_2_2 = version >= ZfsVersion::release(2, 2);
  if (since_2_2) options.compression = compression_named("lz4");
  if (layout == ZfsLayout::volume) options.recordsize = since_2_2 ? 16 * kKiB : 8 * kKiB;
  // ashift 12 is what a disk of today gets; pools before feature flags sat on 512-byte sectors.
  if (version.before_feature_flags()) options.vdev.ashift = 9;
  return options;
}

Result<ZfsOptions> ZfsOptions::parse(std::span<const Property> properties) {
  BLKPRESS_TRY(check_names(properties));
  auto parsed = parse_defaults(properties);
  if (!parsed) return parsed.error();
  ZfsOptions options = *parsed;
  if (const auto* text = find(properties, "compression")) {
    const auto compression = parse_compression(*text, on_codec(options.version));
    if (!compression) return compression.error();
    options.compression = *compression;
  }
  BLKPRESS_TRY(parse_recordsize(properties, options));
  BLKPRESS_TRY(parse_vdev(properties, options));
  if (const auto* text = find(properties, "copies")) {
    const auto copies = parse_int("copies", *text, 1, 3);
    if (!copies) return copies.error();
    options.copies = *copies;
  }
  if (const auto* text = find(properties, "exact_reasons")) {
    if (*text != "on" && *text != "off") return wrong(fmt::format("exact_reasons '{}' is not one of: on | off", *text));
    options.exact_reasons = *text == "on";
  }
  BLKPRESS_TRY(options.check());
  return options;
}

Status ZfsOptions::check() const {
  const std::uint64_t most = max_recordsize(version);
  if (!is_power_of_two(recordsize) || recordsize < 512 || recordsize > most) {
    return wrong(fmt::format("{} {} is not a power of two between 512 and {}",
                             layout == ZfsLayout::volume ? "volblocksize" : "recordsize", recordsize, most));
  }
  if (!has_codec(version, compression.codec->name)) {
    return wrong(fmt::format("compression {} is not one that zfs {} has: {}", blkpress::to_string(compression),
                             version.to_string(), list_codecs(version)));
  }
  if (copies < 1 || copies > 3) return wrong(fmt::format("copies {} is not between 1 and 3", copies));
  const auto geometry = VdevGeometry::parse(vdev.to_string(), vdev.ashift);
  if (!geometry) return geometry.error();
  return ok();
}

}  // namespace blkpress
