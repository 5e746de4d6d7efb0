// fletcher4: the checksum in a ZFS block pointer.
//
// Four 64-bit running sums over little-endian 32-bit words. Threads: a pure function.
#pragma once

#include <array>
#include <cstdint>

#include "blkpress/bytes.hpp"

namespace blkpress {

// bytes.size() is a multiple of 4.
std::array<std::uint64_t, 4> fletcher4(ByteView bytes);

}  // namespace blkpress
