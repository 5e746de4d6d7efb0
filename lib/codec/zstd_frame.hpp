// What zstd and zstd-fast share: a zstd frame inside OpenZFS's (module/zstd/zfs_zstd.c). They differ in their levels
// only, and each reads what the other wrote.
#pragma once

#include <cstdint>
#include <memory>

#include "blkpress/codec.hpp"

namespace blkpress {

// level: libzstd's, negative for the fast ones. level_in_header: OpenZFS's number for it (enum zio_zstd_levels).
std::unique_ptr<CodecContext> make_zstd_context(int level, std::uint8_t level_in_header);

std::string zstd_library_version();

}  // namespace blkpress
