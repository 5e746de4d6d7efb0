// BlockPointer: where a block lies, how it is stored and what it must sum up to. docs/format.md has the bytes.
//
// Threads: values.
#pragma once

#include <array>
#include <cstdint>

#include "blkpress/bytes.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

using BlockChecksum = std::array<std::byte, 16>;
// XXH3-128 with the high half first, as its authors print it.
BlockChecksum block_checksum(ByteView bytes);

enum class BlockKind : std::uint8_t { hole = 0, embedded = 1, data = 2, metadata = 3 };

inline constexpr std::uint32_t kBlockBytesMax = 16 * kMiB;

// A run of sectors.
struct Extent {
  std::uint64_t address = 0;  // in sectors from the start of the file
  std::uint32_t sectors = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

struct BlockPointer {
  static constexpr std::size_t kBytes = 128;
  static constexpr std::size_t kEmbeddedMax = 112;
  static constexpr std::size_t kExtentsMax = 11;
  static constexpr std::uint64_t kAddressMax = (std::uint64_t{1} << 48) - 1;

  BlockKind kind = BlockKind::hole;
  std::uint8_t codec = 0;  // 0: stored as it is
  std::int16_t level = 0;  // of the codec
  std::uint32_t lsize = 0;
  std::uint32_t psize = 0;                           // bytes that are summed up and read; of the payload when embedded
  std::uint32_t sectors = 0;                         // allocated for each copy
  std::uint64_t birth = 0;                           // group that wrote it
  std::array<Extent, kExtentsMax> extents = {};      // of the first copy, then of the second; then empty ones
  BlockChecksum checksum = {};                       // of the psize stored bytes
  std::array<std::byte, kEmbeddedMax> payload = {};  // when embedded

  [[nodiscard]] bool is_hole() const { return kind == BlockKind::hole; }
  [[nodiscard]] bool is_allocated() const { return kind == BlockKind::data || kind == BlockKind::metadata; }
  // In sectors, of all copies.
  [[nodiscard]] std::uint64_t allocated_sectors() const {
    std::uint64_t sum = 0;
    for (const Extent& extent : extents) sum += extent.sectors;
    return sum;
  }
  // 1 or 2 of an allocated block.
  [[nodiscard]] unsigned copies() const {
    return sectors == 0 ? 0 : static_cast<unsigned>(allocated_sectors() / sectors);
  }
  // The extents of a copy.
  [[nodiscard]] std::span<const Extent> copy(unsigned number) const;
  void encode(ByteSpan target) const;  // kBytes of it
  // Errors: corrupt: not kBytes, an unknown kind, sizes that contradict each other, or bytes that must be zero.
  static Result<BlockPointer> decode(ByteView source);
  friend bool operator==(const BlockPointer&, const BlockPointer&) = default;
};

}  // namespace blkpress
