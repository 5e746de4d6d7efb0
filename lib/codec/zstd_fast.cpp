// zstd-fast-N: libzstd's negative levels.
#include <algorithm>
#include <array>

#include "codec/registry.hpp"
#include "codec/zstd_frame.hpp"

namespace blkpress {
namespace {

constexpr std::array kLevels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 500, 1000};

// OpenZFS numbers the fast levels from zstd-fast-1 = 103 on, in this order (include/sys/zio_compress.h,
// enum zio_zstd_levels: 101 is reserved and 102 stands for fast without a number).
constexpr int kFirstLevelInHeader = 103;

std::unique_ptr<CodecContext> make_context(int level) {
  const auto* const place = std::find(kLevels.begin(), kLevels.end(), level);
  BLKPRESS_ASSERT(place != kLevels.end());
  return make_zstd_context(-level, static_cast<std::uint8_t>(kFirstLevelInHeader + (place - kLevels.begin())));
}

}  // namespace

CodecInfo zstd_fast_codec() {
  return {.name = {},
          .description = "zstd at its negative levels: faster and larger",
          .library = "libzstd",
          .library_version = zstd_library_version,
          .levels = kLevels,
          .default_level = 1,  // OpenZFS, zstd-fast = zstd-fast-1
          .make_context = make_context};
}

}  // namespace blkpress
