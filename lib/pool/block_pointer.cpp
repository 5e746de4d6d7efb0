#include "pool/block_pointer.hpp"

#include <xxhash.h>

#include <algorithm>

namespace blkpress {
namespace {

Error bad(const char* what) { return {ErrorKind::corrupt, std::string("block pointer: ") + what}; }

constexpr unsigned kSizeBits = 25;  // of an embedded block's lsize - 1; psize - 1 has the other seven

}  // namespace

BlockChecksum block_checksum(ByteView bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  BlockChecksum checksum;
  store_be(checksum.data(), static_cast<std::uint64_t>(hash.high64));
  store_be(checksum.data() + 8, static_cast<std::uint64_t>(hash.low64));
  return checksum;
}

std::span<const Extent> BlockPointer::copy(unsigned number) const {
  std::size_t begin = 0, end = 0;
  for (unsigned at = 0; at <= number; ++at) {
    begin = end;
    for (std::uint64_t sum = 0; sum < sectors && end < extents.size(); ++end) sum += extents[end].sectors;
  }
  return std::span(extents).subspan(begin, end - begin);
}

void BlockPointer::encode(ByteSpan target) const {
  BLKPRESS_ASSERT(target.size() == kBytes);
  std::fill(target.begin(), target.end(), std::byte{0});
  if (kind == BlockKind::hole) return;
  std::byte* to = target.data();
  to[0] = static_cast<std::byte>(kind);
  to[1] = static_cast<std::byte>(codec);
  store_le(to + 2, static_cast<std::uint16_t>(level));
  if (kind == BlockKind::embedded) {
    store_le(to + 4, (lsize - 1) | (psize - 1) << kSizeBits);
    store_le(to + 8, birth);
    std::copy(payload.begin(), payload.end(), to + 16);
    return;
  }
  store_le(to + 4, lsize);
  store_le(to + 8, psize);
  store_le(to + 12, sectors);
  store_le(to + 16, birth);
  std::copy(checksum.begin(), checksum.end(), to + 24);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    store_le(to + 40 + 8 * i, extents[i].address << 16 | extents[i].sectors);
  }
}

Result<BlockPointer> BlockPointer::decode(ByteView source) {
  if (source.size() != kBytes) return bad("not 128 bytes");
  const std::byte* from = source.data();
  BlockPointer pointer;
  if (from[0] > std::byte{3}) return bad("unknown kind");
  pointer.kind = static_cast<BlockKind>(from[0]);
  if (pointer.kind == BlockKind::hole) {
    if (!all_zero(source)) return bad("a hole with contents");
    return pointer;
  }
  pointer.codec = static_cast<std::uint8_t>(from[1]);
  pointer.level = static_cast<std::int16_t>(load_le<std::uint16_t>(from + 2));
  if (pointer.kind == BlockKind::embedded) {
    const auto sizes = load_le<std::uint32_t>(from + 4);
    pointer.lsize = (sizes & ((1U << kSizeBits) - 1)) + 1;
    pointer.psize = (sizes >> kSizeBits) + 1;
    pointer.birth = load_le<std::uint64_t>(from + 8);
    if (pointer.lsize > kBlockBytesMax || pointer.psize > kEmbeddedMax) return bad("embedded sizes out of range");
    std::copy_n(from + 16, kEmbeddedMax, pointer.payload.begin());
    return pointer;
  }
  pointer.lsize = load_le<std::uint32_t>(from + 4);
  pointer.psize = load_le<std::uint32_t>(from + 8);
  pointer.sectors = load_le<std::uint32_t>(from + 12);
  if (pointer.lsize > kBlockBytesMax || pointer.psize > pointer.lsize) return bad("sizes out of range");
  if (pointer.psize == 0 || pointer.sectors == 0) return bad("an allocated block of nothing");
  pointer.birth = load_le<std::uint64_t>(from + 16);
  std::copy_n(from + 24, pointer.checksum.size(), pointer.checksum.begin());
  std::uint64_t sum = 0;
  bool ended = false;
  for (std::size_t i = 0; i < kExtentsMax; ++i) {
    const auto word = load_le<std::uint64_t>(from + 40 + 8 * i);
    const Extent extent{word >> 16, static_cast<std::uint32_t>(word & 0xffff)};
    ended = ended || word == 0;
    if (ended ? word != 0 : extent.address == 0 || extent.sectors == 0) return bad("extents out of order");
    // No extent belongs to both copies.
    if (sum < pointer.sectors && sum + extent.sectors > pointer.sectors) return bad("extents do not add up");
    sum += extent.sectors;
    pointer.extents[i] = extent;
  }
  if (sum != pointer.sectors && sum != 2 * std::uint64_t{pointer.sectors}) return bad("extents do not add up");
  return pointer;
}

}  // namespace blkpress
