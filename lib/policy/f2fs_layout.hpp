// Sizes that the rules of F2FS are made of.
#pragma once

#include <cstdint>
#include <string_view>

namespace blkpress {

inline constexpr std::uint32_t kF2fsBlock = 4096;
// Linux, fs/f2fs/f2fs.h: struct compress_data: length, checksum, reserved words.
inline constexpr std::uint32_t kF2fsClusterHeader = 24;

inline constexpr std::string_view kF2fsPropertyNames =
    "compress_algorithm, compress_log_size, compress_extension, compress_mode, release, writer, min_saved_blocks";

}  // namespace blkpress
