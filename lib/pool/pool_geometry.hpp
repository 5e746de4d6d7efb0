// PoolGeometry: where the rings, the region tables, the intent log, the regions and their bitmaps lie. docs/format.md
// draws it.
//
// Threads: a value.
#pragma once

#include <cstdint>

#include "blkpress/bytes.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

inline constexpr std::uint64_t kPoolBytesMin = 8 * kMiB;
inline constexpr std::uint64_t kRingBytes = 256 * kKiB;
inline constexpr std::uint64_t kSlotBytes = 4 * kKiB;

struct PoolGeometry {
  std::uint64_t size = 0;  // bytes, a multiple of kRingBytes
  unsigned ashift = 12;
  std::uint64_t region_bytes = kGiB;

  // Errors: usage: ashift not 9 to 16, size below kPoolBytesMin or no multiple of kRingBytes, region_bytes not a power
  // of two from 1 MiB to 1 GiB.
  [[nodiscard]] Status check() const;

  [[nodiscard]] std::uint64_t sector_bytes() const { return std::uint64_t{1} << ashift; }
  // Bytes of one of the four places of the region table.
  [[nodiscard]] std::uint64_t table_place_bytes() const {
    return round_up(size / region_bytes * kTableEntryBytes + kTableEntryBytes, 64 * kKiB);
  }
  // side 0 (A) or 1 (B); copy 0 near the first ring, 1 near the last.
  [[nodiscard]] std::uint64_t table_offset(unsigned side, unsigned copy) const {
    const std::uint64_t first = copy == 0 ? kRingBytes : size - kRingBytes - 2 * table_place_bytes();
    return first + side * table_place_bytes();
  }
  // Bytes of one of the two places of the intent log: 1/256 of the pool, 64 KiB to 16 MiB.
  [[nodiscard]] std::uint64_t log_bytes() const {
    const std::uint64_t share = size / 256 / (64 * kKiB) * (64 * kKiB);
    return share < 64 * kKiB ? 64 * kKiB : share > 16 * kMiB ? 16 * kMiB : share;
  }
  [[nodiscard]] std::uint64_t log_offset(unsigned copy) const {
    return copy == 0 ? regions_begin() - log_bytes() : regions_end();
  }
  [[nodiscard]] std::uint64_t regions_begin() const { return kRingBytes + 2 * table_place_bytes() + log_bytes(); }
  [[nodiscard]] std::uint64_t regions_end() const { return size - regions_begin(); }
  // Bytes of one of the four places of a bitmap.
  [[nodiscard]] std::uint64_t bitmap_bytes() const {
    return round_up(region_bytes / sector_bytes() / 8, sector_bytes() < 4096 ? 4096 : sector_bytes());
  }
  // A last region that would hold little more than its own bitmaps is left out.
  [[nodiscard]] std::uint32_t regions() const {
    const std::uint64_t bytes = regions_end() - regions_begin();
    const bool last = bytes % region_bytes >= 4 * bitmap_bytes() + 256 * kKiB;
    return static_cast<std::uint32_t>(bytes / region_bytes + (last ? 1 : 0));
  }
  [[nodiscard]] std::uint64_t region_offset(std::uint32_t region) const {
    return regions_begin() + region * region_bytes;
  }
  // Sectors of a region, its bitmaps included.
  [[nodiscard]] std::uint32_t region_sectors(std::uint32_t region) const {
    const std::uint64_t rest = regions_end() - region_offset(region);
    return static_cast<std::uint32_t>((rest < region_bytes ? rest : region_bytes) >> ashift);
  }
  [[nodiscard]] std::uint32_t bitmap_sectors() const {
    return static_cast<std::uint32_t>(4 * bitmap_bytes() >> ashift);
  }
  [[nodiscard]] std::uint64_t bitmap_offset(std::uint32_t region, unsigned side, unsigned copy) const {
    return region_offset(region) + (2 * side + copy) * bitmap_bytes();
  }
  static constexpr std::uint64_t kTableEntryBytes = 32;

  friend bool operator==(const PoolGeometry&, const PoolGeometry&) = default;
};

}  // namespace blkpress
