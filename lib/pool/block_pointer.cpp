#include "pool/block_pointer.hpp"

#include <xxhash.h>

#include <algorithm>

namespace blkpress {
namespace {

Error bad(const char* what) { return {ErrorKind::corrupt, std::string("block pointer: ") + what}; }

bool allocated(BlockKind kind) { return kind == BlockKind::data || kind == BlockKind::metadata; }

}  // namespace

BlockChecksum block_checksum(ByteView bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  BlockChecksum checksum;
  store_be(checksum.data(), static_cast<std::uint64_t>(hash.high64));
  store_be(checksum.data() + 8, static_cast<std::uint64_t>(hash.low64));
  return checksum;
}

void BlockPointer::encode(ByteSpan target) const {
  BLKPRESS_ASSERT(target.size() == kBytes);
  std::fill(target.begin(), target.end(), std::byte{0});
  std::byte* to = target.data();
  to[0] = static_cast<std::byte>(kind);
  to[1] = static_cast<std::byte>(codec);
  store_le(to + 2, static_cast<std::uint16_t>(level));
  store_le(to + 4, lsize);
  store_le(to + 8, psize);
  store_le(to + 12, sectors);
  if (kind == BlockKind::embedded) {
    std::copy(payload.begin(), payload.end(), to + 16);
    return;
  }
  store_le(to + 16, birth);
  store_le(to + 24, addresses[0]);
  store_le(to + 32, addresses[1]);
  std::copy(checksum.begin(), checksum.end(), to + 40);
}

Result<BlockPointer> BlockPointer::decode(ByteView source) {
  if (source.size() != kBytes) return bad("not 128 bytes");
  const std::byte* from = source.data();
  BlockPointer pointer;
  if (from[0] > std::byte{3}) return bad("unknown kind");
  pointer.kind = static_cast<BlockKind>(from[0]);
  pointer.codec = static_cast<std::uint8_t>(from[1]);
  pointer.level = static_cast<std::int16_t>(load_le<std::uint16_t>(from + 2));
  pointer.lsize = load_le<std::uint32_t>(from + 4);
  pointer.psize = load_le<std::uint32_t>(from + 8);
  pointer.sectors = load_le<std::uint32_t>(from + 12);
  if (pointer.lsize > kBlockBytesMax || pointer.psize > pointer.lsize) return bad("sizes out of range");
  if (pointer.kind == BlockKind::hole) {
    if (!all_zero(source)) return bad("a hole with contents");
    return pointer;
  }
  if (pointer.kind == BlockKind::embedded) {
    if (pointer.psize > kEmbeddedMax || pointer.sectors != 0) return bad("embedded sizes out of range");
    std::copy_n(from + 16, kEmbeddedMax, pointer.payload.begin());
    return pointer;
  }
  pointer.birth = load_le<std::uint64_t>(from + 16);
  pointer.addresses = {load_le<std::uint64_t>(from + 24), load_le<std::uint64_t>(from + 32)};
  std::copy_n(from + 40, pointer.checksum.size(), pointer.checksum.begin());
  if (!allocated(pointer.kind) || pointer.psize == 0 || pointer.sectors == 0 || pointer.addresses[0] == 0) {
    return bad("an allocated block of nothing");
  }
  if (!all_zero(source.subspan(56))) return bad("reserved bytes are not zero");
  return pointer;
}

}  // namespace blkpress
