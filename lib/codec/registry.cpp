#include "codec/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace blkpress {
namespace {

CodecInfo named(CodecInfo info, std::string_view name) {
  info.name = name;
  return info;
}

// "1-10,20,100": runs of neighbours are joined, as `zfs set` lists them.
std::string list_levels(std::span<const int> levels) {
  std::string text;
  for (std::size_t first = 0; first < levels.size();) {
    std::size_t last = first;
    while (last + 1 < levels.size() && levels[last + 1] == levels[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == first ? fmt::format("{}", levels[first]) : fmt::format("{}-{}", levels[first], levels[last]);
    first = last + 1;
  }
  return text;
}

// "on | off | gzip | gzip-[1-9] | …": what parse_compression takes.
std::string list_choices() {
  std::string text = "on";
  for (const CodecInfo& codec : codecs()) {
    text += fmt::format(" | {}", codec.name);
    if (!codec.levels.empty()) text += fmt::format(" | {}-[{}]", codec.name, list_levels(codec.levels));
  }
  return text;
}

}  // namespace

std::string no_library_version() { return {}; }

Error corrupt_record(std::string_view codec, std::string_view what) {
  return {ErrorKind::corrupt, fmt::format("{}: compressed record does not decode: {}", codec, what)};
}

std::span<const CodecInfo> codecs() {
  static const std::array list{
#define BLKPRESS_CODEC(identifier, name) named(identifier##_codec(), name),
#include "codec/codecs.def"
#undef BLKPRESS_CODEC
  };
  return list;
}

bool Compression::is_off() const { return codec->name == "off"; }

Result<Compression> parse_compression(std::string_view text, std::string_view on) {
  if (text == "on") {
    BLKPRESS_ASSERT(on != "on");
    return parse_compression(on);
  }
  for (const CodecInfo& codec : codecs()) {
    if (text == codec.name) return Compression{&codec, codec.default_level};
    // Only the canonical spelling: gzip-06 is wrong, as it is for zfs.
    for (const int level : codec.levels) {
      if (text == to_string({&codec, level})) return Compression{&codec, level};
    }
  }
  return Error{ErrorKind::usage, fmt::format("compression '{}' is not one of: {}", text, list_choices())};
}

std::string to_string(const Compression& compression) {
  if (compression.codec->levels.empty()) return std::string(compression.codec->name);
  return fmt::format("{}-{}", compression.codec->name, compression.level);
}

Compression compression_named(std::string_view name) {
  const Result<Compression> parsed = parse_compression(name);
  BLKPRESS_ASSERT(parsed.has_value());
  return *parsed;
}

}  // namespace blkpress
