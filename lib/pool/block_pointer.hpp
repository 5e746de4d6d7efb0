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

struct BlockPointer {
  static constexpr std::size_t kBytes = 128;
  static constexpr std::size_t kEmbeddedMax = 112;

  BlockKind kind = BlockKind::hole;
  std::uint8_t codec = 0;  // 0: stored as it is
  std::int16_t level = 0;  // of the codec
  std::uint32_t lsize = 0;
  std::uint32_t psize = 0;                           // bytes that are summed up and read; of the payload when embedded
  std::uint32_t sectors = 0;                         // allocated for each copy
  std::uint64_t birth = 0;                           // group that wrote it
  std::array<std::uint64_t, 2> addresses = {};       // in sectors from the start of the file; 0: there is no such copy
  BlockChecksum checksum = {};                       // of the psize stored bytes
  std::array<std::byte, kEmbeddedMax> payload = {};  // when embedded

  [[nodiscard]] bool is_hole() const { return kind == BlockKind::hole; }
  void encode(ByteSpan target) const;  // kBytes of it
  // Errors: corrupt: not kBytes, an unknown kind, sizes that contradict each other, or bytes that must be zero.
  static Result<BlockPointer> decode(ByteView source);
  friend bool operator==(const BlockPointer&, const BlockPointer&) = default;
};

}  // namespace blkpress
