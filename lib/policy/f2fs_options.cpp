#include <fmt/format.h>

#include <charconv>

#include "blkpress/f2fs_policy.hpp"
#include "policy/f2fs_layout.hpp"
#include "policy/property_list.hpp"

namespace blkpress {
namespace {

Error wrong(std::string message) { return {ErrorKind::usage, std::move(message)}; }

constexpr std::string_view kChoices = "lz4 | lz4:[3-12] | lzo | zstd | zstd:[1-22]";

// Linux, fs/f2fs/f2fs.h: F2FS_ZSTD_DEFAULT_CLEVEL
constexpr int kZstdDefault = 1;

Status parse_algorithm(const std::string& text, F2fsOptions& options) {
  const std::size_t colon = text.find(':');
  const std::string codec = text.substr(0, colon);
  const bool has_level = colon != std::string::npos;
  int level = 0;
  if (has_level) {
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + colon + 1, last, level);
    if (error != std::errc() || end != last) level = -1;
  }
  const Error unknown = wrong(fmt::format("compress_algorithm '{}' is not one of: {}", text, kChoices));
  if (codec == "lz4") {
    if (has_level && level >= 13 && level <= 16) {
      return wrong(
          fmt::format("compress_algorithm {}: liblz4 has levels 3 to 12, the kernel's 13 to 16 are not in it", text));
    }
    if (has_level && (level < 3 || level > 12)) return unknown;
    options.codec = has_level ? F2fsCodec::lz4hc : F2fsCodec::lz4;
  } else if (codec == "zstd") {
    if (has_level && (level < 1 || level > 22)) return unknown;
    options.codec = F2fsCodec::zstd;
    if (!has_level) level = kZstdDefault;
  } else if (text == "lzo") {
    options.codec = F2fsCodec::lzo;
  } else if (text == "lzo-rle") {
    return wrong("compress_algorithm lzo-rle is the kernel's own, and not in liblzo2; lzo comes nearest");
  } else {
    return unknown;
  }
  options.level = level;
  return ok();
}

// One of two words.
Result<bool> either(const PropertyList& list, std::string_view name, std::string_view usual, std::string_view other) {
  const std::string* text = list.find(name);
  if (text == nullptr || *text == usual) return false;
  if (*text != other) return wrong(fmt::format("{} '{}' is not one of: {} | {}", name, *text, usual, other));
  return true;
}

}  // namespace

Result<F2fsOptions> F2fsOptions::parse(std::span<const Property> properties) {
  const PropertyList list("f2fs", kF2fsPropertyNames, properties);
  BLKPRESS_TRY(list.check_names());
  F2fsOptions options;
  if (const auto* text = list.find("compress_algorithm")) BLKPRESS_TRY(parse_algorithm(*text, options));
  // Linux, fs/f2fs/f2fs.h: MIN_COMPRESS_LOG_SIZE, MAX_COMPRESS_LOG_SIZE
  const auto cluster_log = list.number("compress_log_size", 2, 8, 2);
  if (!cluster_log) return cluster_log.error();
  options.cluster_log = static_cast<int>(*cluster_log);
  // A list of extensions would need the files' names, which a policy does not see.
  const auto all_files = either(list, "compress_extension", "none", "*");
  if (!all_files) return all_files.error();
  options.all_files = *all_files;
  const auto user_mode = either(list, "compress_mode", "fs", "user");
  if (!user_mode) return user_mode.error();
  options.user_mode = *user_mode;
  const auto release = list.on_off("release", false);
  if (!release) return release.error();
  options.release = *release;
  const auto sload = either(list, "writer", "kernel", "sload");
  if (!sload) return sload.error();
  options.writer = *sload ? F2fsWriter::sload : F2fsWriter::kernel;
  const std::uint64_t blocks = std::uint64_t{1} << options.cluster_log;
  const auto min_saved = list.number("min_saved_blocks", 1, blocks - 1, 1);
  if (!min_saved) return min_saved.error();
  options.min_saved_blocks = static_cast<int>(*min_saved);
  BLKPRESS_TRY(options.check());
  return options;
}

Status F2fsOptions::check() const {
  const bool level_fits = codec == F2fsCodec::zstd    ? level >= 1 && level <= 22
                          : codec == F2fsCodec::lz4hc ? level >= 3 && level <= 12
                                                      : level == 0;
  if (!level_fits) return wrong(fmt::format("compress_algorithm {} is not one of: {}", compression(), kChoices));
  if (cluster_log < 2 || cluster_log > 8) {
    return wrong(fmt::format("compress_log_size {} is not between 2 and 8", cluster_log));
  }
  if (min_saved_blocks < 1 || min_saved_blocks >= 1 << cluster_log) {
    return wrong(fmt::format("min_saved_blocks {} is not between 1 and {}", min_saved_blocks, (1 << cluster_log) - 1));
  }
  if (min_saved_blocks != 1 && writer != F2fsWriter::sload) {
    return wrong(fmt::format("min_saved_blocks {} is an option of sload.f2fs; the kernel has 1, set writer=sload",
                             min_saved_blocks));
  }
  // A codec that is only named is never called.
  if (compresses() && codec == F2fsCodec::lzo && !parse_compression("lzo")) {
    return wrong("compress_algorithm lzo is not in this build, which was configured without liblzo2; lz4 and zstd are");
  }
  return ok();
}

std::string F2fsOptions::compression() const {
  switch (codec) {
    case F2fsCodec::lz4hc:
      return fmt::format("lz4:{}", level);
    case F2fsCodec::lzo:
      return "lzo";
    case F2fsCodec::zstd:
      return fmt::format("zstd:{}", level);
    case F2fsCodec::lz4:
      break;
  }
  return "lz4";
}

}  // namespace blkpress
