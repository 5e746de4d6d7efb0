// Sizes that the rules of dm-vdo are made of.
#pragma once

#include <cstdint>

namespace blkpress {

inline constexpr std::uint32_t kVdoBlock = 4096;
// Linux, drivers/md/dm-vdo: a block of fragments starts with a version (8 bytes) and fourteen lengths of 2 bytes.
inline constexpr std::uint32_t kVdoSlots = 14;
inline constexpr std::uint32_t kVdoHeader = 8 + 2 * kVdoSlots;
inline constexpr std::uint32_t kVdoRoom = kVdoBlock - kVdoHeader;

}  // namespace blkpress
