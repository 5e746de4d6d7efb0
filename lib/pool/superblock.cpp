#include "pool/superblock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace blkpress {
namespace {

constexpr char kMagic[] = "blkpress";
constexpr std::size_t kFeaturesAt = 1024, kFeaturesBytes = 512, kChecksumAt = kSlotBytes - 16;
constexpr std::uint64_t kSlots = kRingBytes / kSlotBytes;

void encode_names(std::byte* to, const std::vector<std::string>& names) {
  std::size_t at = 0;
  for (const std::string& name : names) {
    BLKPRESS_ASSERT(at + name.size() + 1 <= kFeaturesBytes);
    std::memcpy(to + at, name.c_str(), name.size() + 1);
    at += name.size() + 1;
  }
}

std::vector<std::string> decode_names(const std::byte* from) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < kFeaturesBytes && from[at] != std::byte{0};) {
    const std::byte* end = std::find(from + at, from + kFeaturesBytes, std::byte{0});
    names.emplace_back(reinterpret_cast<const char*>(from + at), static_cast<std::size_t>(end - (from + at)));
    at += names.back().size() + 1;
  }
  return names;
}

std::optional<BlockPointer> pointer_at(const std::byte* from) {
  Result<BlockPointer> pointer = BlockPointer::decode({from, BlockPointer::kBytes});
  return pointer ? std::optional(*pointer) : std::nullopt;
}

// The newest superblock of one ring.
Status look_at_ring(BlockFile& file, std::uint64_t offset, std::uint64_t size, std::optional<Superblock>& newest) {
  std::vector<std::byte> ring(kRingBytes);
  Result<std::size_t> got = file.read(offset, ring);
  if (!got) return got.error();
  for (std::uint64_t slot = 0; slot < *got / kSlotBytes; ++slot) {
    auto found = Superblock::decode(ByteView(ring).subspan(slot * kSlotBytes, kSlotBytes));
    if (!found) return found.error();
    if (!*found || (*found)->geometry.size > size || (*found)->txg % kSlots != slot) continue;
    if (!newest || (*found)->txg > newest->txg) newest = std::move(**found);
  }
  return ok();
}

}  // namespace

Status PoolGeometry::check() const {
  if (ashift < 9 || ashift > 16) return Error{ErrorKind::usage, fmt::format("ashift {} is not 9 to 16", ashift)};
  if (size < kPoolBytesMin || size % kRingBytes != 0 || size > (std::uint64_t{1} << 60)) {
    return Error{ErrorKind::usage, fmt::format("size {} of a pool is not a multiple of {} of at least {} bytes", size,
                                               kRingBytes, kPoolBytesMin)};
  }
  if (!is_power_of_two(region_bytes) || region_bytes < kMiB || region_bytes > kGiB) {
    return Error{ErrorKind::usage, fmt::format("region of {} bytes is not a power of two from 1M to 1G", region_bytes)};
  }
  if (size / region_bytes > (std::uint64_t{1} << 22) || regions() == 0)
    return Error{ErrorKind::usage, fmt::format("size {} of a pool is not 1 to 2^22 regions", size)};
  return ok();
}

std::vector<std::byte> Superblock::encode() const {
  std::vector<std::byte> slot(kSlotBytes);
  std::byte* to = slot.data();
  std::memcpy(to, kMagic, 8);
  store_le(to + 8, kVersion);
  store_le(to + 12, static_cast<std::uint32_t>(geometry.ashift));
  store_le(to + 16, guid);
  store_le(to + 24, creation_s);
  store_le(to + 32, txg);
  store_le(to + 40, geometry.size);
  store_le(to + 48, geometry.region_bytes);
  store_le(to + 56, static_cast<std::uint32_t>(table_side));
  std::copy(table_checksum.begin(), table_checksum.end(), to + 64);
  store_le(to + 80, allocated_sectors);
  root.encode({to + 128, BlockPointer::kBytes});
  encode_names(to + kFeaturesAt, compatible);
  encode_names(to + kFeaturesAt + kFeaturesBytes, read_only_compatible);
  encode_names(to + kFeaturesAt + 2 * kFeaturesBytes, incompatible);
  const BlockChecksum checksum = block_checksum(ByteView(slot).first(kChecksumAt));
  std::copy(checksum.begin(), checksum.end(), to + kChecksumAt);
  return slot;
}

Result<std::optional<Superblock>> Superblock::decode(ByteView slot) {
  using Found = std::optional<Superblock>;
  const std::byte* from = slot.data();
  if (slot.size() != kSlotBytes || std::memcmp(from, kMagic, 8) != 0) return Found();
  const BlockChecksum checksum = block_checksum(slot.first(kChecksumAt));
  if (!std::equal(checksum.begin(), checksum.end(), from + kChecksumAt)) return Found();
  if (const auto version = load_le<std::uint32_t>(from + 8); version != kVersion) {
    return Error{ErrorKind::usage, fmt::format("pool has format version {}, this build knows {}", version, kVersion)};
  }
  Superblock found;
  found.geometry.ashift = load_le<std::uint32_t>(from + 12);
  found.guid = load_le<std::uint64_t>(from + 16);
  found.creation_s = load_le<std::uint64_t>(from + 24);
  found.txg = load_le<std::uint64_t>(from + 32);
  found.geometry.size = load_le<std::uint64_t>(from + 40);
  found.geometry.region_bytes = load_le<std::uint64_t>(from + 48);
  found.table_side = load_le<std::uint32_t>(from + 56);
  std::copy_n(from + 64, found.table_checksum.size(), found.table_checksum.begin());
  found.allocated_sectors = load_le<std::uint64_t>(from + 80);
  const auto root = pointer_at(from + 128);
  if (!root || found.table_side > 1 || !found.geometry.check()) return Found();
  found.root = *root;
  found.compatible = decode_names(from + kFeaturesAt);
  found.read_only_compatible = decode_names(from + kFeaturesAt + kFeaturesBytes);
  found.incompatible = decode_names(from + kFeaturesAt + 2 * kFeaturesBytes);
  return Found(std::move(found));
}

Result<FoundSuperblock> find_superblock(BlockFile& file) {
  Result<std::uint64_t> size = file.size();
  if (!size) return size.error();
  // The last ring is where the pool ends, which may be before the end of the file; the first ring knows, and when it
  // is lost the file's own end is tried.
  std::optional<Superblock> first, last;
  BLKPRESS_TRY(look_at_ring(file, 0, *size, first));
  const std::uint64_t end = first ? first->geometry.size : *size / kRingBytes * kRingBytes;
  if (end >= kPoolBytesMin) BLKPRESS_TRY(look_at_ring(file, end - kRingBytes, *size, last));
  if (last && last->geometry.size != end) last.reset();
  if (!first && !last) return Error{ErrorKind::corrupt, "no superblock: not a pool, or both ends of it are damaged"};
  FoundSuperblock found;
  found.both_ends = first && last && first->txg == last->txg;
  found.superblock = !last || (first && first->txg >= last->txg) ? *first : *last;
  for (const std::string& name : found.superblock.incompatible) {
    return Error{ErrorKind::usage, fmt::format("pool uses the feature {}, which this build does not know", name)};
  }
  return found;
}

Status write_superblock(BlockFile& file, const Superblock& superblock) {
  const std::vector<std::byte> slot = superblock.encode();
  const std::uint64_t at = superblock.txg % kSlots * kSlotBytes;
  BLKPRESS_TRY(file.write(at, slot));
  return file.write(superblock.geometry.size - kRingBytes + at, slot);
}

Status clear_superblocks(BlockFile& file, std::uint64_t size) {
  const std::vector<std::byte> zeros(kRingBytes);
  BLKPRESS_TRY(file.write(0, zeros));
  return file.write(size - kRingBytes, zeros);
}

}  // namespace blkpress
