#include "policy/zfs_pointer.hpp"

#include <algorithm>

namespace blkpress {
namespace {

// OpenZFS, include/sys/zio_compress.h and include/sys/zio.h.
constexpr std::uint64_t kCompressionOff = 2;
constexpr std::uint64_t kChecksumFletcher4 = 7;
constexpr std::uint64_t kLittleEndian = std::uint64_t{1} << 63;
constexpr std::uint64_t kEmbedded = std::uint64_t{1} << 39;
// All blocks of an object are taken to be written in one transaction group; which one makes no difference to the size.
constexpr std::uint64_t kBirthTxg = 12;

void store_word(std::byte* target, std::size_t word, std::uint64_t value) { store_le(target + word * 8, value); }

std::uint64_t type_and_level(const ZfsPointer& pointer) {
  return (std::uint64_t{pointer.type} << 48) | (std::uint64_t{pointer.level} << 56) | kLittleEndian;
}

}  // namespace

std::uint32_t compression_number(const Compression& compression) {
  const std::string_view name = compression.codec->name;
  if (name == "lzjb") return 3;
  if (name == "gzip") return 4 + static_cast<std::uint32_t>(compression.level);
  if (name == "zle") return 14;
  if (name == "lz4" || name == "lz4-lib") return 15;
  if (name == "zstd" || name == "zstd-fast") return 16;
  return kCompressionOff;
}

void write_pointer(const ZfsPointer& pointer, std::byte* target) {
  const RecordOutcome& outcome = pointer.outcome;
  std::fill_n(target, kPointerBytes, std::byte{0});
  for (std::size_t copy = 0; copy < static_cast<std::size_t>(pointer.copies); ++copy) {
    store_word(target, 2 * copy, pointer.copy_asize / 512);
    store_word(target, 2 * copy + 1, (pointer.offset + copy * pointer.copy_asize) / 512);
  }
  const std::uint64_t codec = outcome.kind == RecordKind::compressed ? pointer.codec : kCompressionOff;
  store_word(target, 6,
             (outcome.lsize / 512 - 1) | (std::uint64_t{outcome.psize / 512 - 1} << 16) | (codec << 32) |
                 (kChecksumFletcher4 << 40) | type_and_level(pointer));
  store_word(target, 10, kBirthTxg);
  store_word(target, 11, pointer.fill);
  for (std::size_t i = 0; i < 4; ++i) store_word(target, 12 + i, pointer.checksum[i]);
}

void write_embedded_pointer(const ZfsPointer& pointer, const std::array<std::byte, 112>& embedded, std::byte* target) {
  const RecordOutcome& outcome = pointer.outcome;
  // Every word but the properties and the birth takes payload: words 0-5, 7-9 and 11-15.
  std::array<std::byte, 112> payload{};
  std::copy_n(embedded.begin(), outcome.payload, payload.begin());
  std::copy_n(payload.begin(), 48, target);
  std::copy_n(payload.begin() + 48, 24, target + 56);
  std::copy_n(payload.begin() + 72, 40, target + 88);
  store_word(target, 6,
             (outcome.lsize - 1) | (std::uint64_t{outcome.payload - 1} << 25) | (std::uint64_t{pointer.codec} << 32) |
                 kEmbedded | type_and_level(pointer));
  store_word(target, 10, kBirthTxg);
}

}  // namespace blkpress
