// zstd-1…19: libzstd's ordinary levels.
#include <array>

#include "codec/registry.hpp"
#include "codec/zstd_frame.hpp"

namespace blkpress {
namespace {

constexpr std::array kLevels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19};

}  // namespace

CodecInfo zstd_codec() {
  return {.name = {},
          .description = "zstd without magic number, checksum and content size",
          .library = "libzstd",
          .library_version = zstd_library_version,
          .levels = kLevels,
          .default_level = 3,  // OpenZFS, zstd = zstd-3
          .make_context = [](int level) { return make_zstd_context(level, static_cast<std::uint8_t>(level)); }};
}

}  // namespace blkpress
