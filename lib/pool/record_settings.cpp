#include "pool/record_settings.hpp"

#include <fmt/format.h>

#include <array>

namespace blkpress {
namespace {

// Number in block pointers: index + 1. Part of the format: only ever appended to.
constexpr std::array<std::string_view, 8> kNumbered = {"lz4",  "gzip", "zstd",    "zstd-fast",
                                                       "lzjb", "zle",  "lz4-lib", "lzo"};

constexpr std::size_t kIdleDecoders = 8;

}  // namespace

const CodecInfo* PoolCodecs::find(std::string_view name) const {
  for (const CodecInfo* codec : extra_) {
    if (codec->name == name) return codec;
  }
  for (const CodecInfo& codec : codecs()) {
    if (codec.name == name) return &codec;
  }
  return nullptr;
}

Result<Compression> PoolCodecs::parse(std::string_view text) const {
  for (const CodecInfo* codec : extra_) {
    if (text == codec->name) return Compression{codec, codec->default_level};
    for (const int level : codec->levels) {
      if (text == to_string({codec, level})) return Compression{codec, level};
    }
  }
  return parse_compression(text);
}

std::uint8_t PoolCodecs::number_of(const CodecInfo& codec) const {
  for (std::size_t i = 0; i < kNumbered.size(); ++i) {
    if (kNumbered[i] == codec.name) return static_cast<std::uint8_t>(i + 1);
  }
  for (const auto& [number, name] : names_) {
    if (name == codec.name) return number;
  }
  return 0;
}

std::uint8_t PoolCodecs::next_own() const {
  for (unsigned number = kFirstOwn; number <= 255; ++number) {
    if (!names_.contains(static_cast<std::uint8_t>(number))) return static_cast<std::uint8_t>(number);
  }
  return 0;
}

Result<const CodecInfo*> PoolCodecs::codec(std::uint8_t number) const {
  std::string_view name;
  if (number >= 1 && number <= kNumbered.size()) name = kNumbered[number - 1];
  if (const auto own = names_.find(number); own != names_.end()) name = own->second;
  if (name.empty()) return Error{ErrorKind::corrupt, fmt::format("block pointer: there is no codec {}", number)};
  const CodecInfo* codec = find(name);
  if (codec == nullptr) {
    return Error{ErrorKind::usage, fmt::format("record is compressed with {}, which this program does not have", name)};
  }
  return codec;
}

Result<std::unique_ptr<CodecContext>> PoolCodecs::decoder(std::uint8_t number) {
  std::vector<std::unique_ptr<CodecContext>>& idle = idle_[number];
  if (!idle.empty()) {
    std::unique_ptr<CodecContext> decoder = std::move(idle.back());
    idle.pop_back();
    return decoder;
  }
  const Result<const CodecInfo*> codec = this->codec(number);
  if (!codec) return codec.error();
  return (*codec)->make_context((*codec)->default_level);
}

void PoolCodecs::give_back(std::uint8_t number, std::unique_ptr<CodecContext> decoder) {
  std::vector<std::unique_ptr<CodecContext>>& idle = idle_[number];
  if (idle.size() < kIdleDecoders) idle.push_back(std::move(decoder));
}

}  // namespace blkpress
