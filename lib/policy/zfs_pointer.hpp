// A ZFS block pointer as it lies in an indirect block: 128 bytes, 16 little-endian words.
#pragma once

#include <array>
#include <cstdint>

#include "blkpress/bytes.hpp"
#include "blkpress/codec.hpp"
#include "blkpress/record.hpp"

namespace blkpress {

inline constexpr std::size_t kPointerBytes = 128;

struct ZfsPointer {
  RecordOutcome outcome;         // of the block pointed to; not a hole
  std::uint32_t copy_asize = 0;  // bytes allocated for one copy
  int copies = 1;                // 1 to 3
  std::uint64_t offset = 0;      // of the first copy on the vdev; the others follow
  std::uint32_t codec = 0;       // compression_number() of the object
  std::uint32_t type = 0;        // kFileType or kVolumeType
  std::uint32_t level = 0;       // 0: data
  std::uint64_t fill = 1;        // blocks of data below
  std::array<std::uint64_t, 4> checksum = {};
};

inline constexpr std::uint32_t kFileType = 19;    // OpenZFS, include/sys/dmu.h: DMU_OT_PLAIN_FILE_CONTENTS
inline constexpr std::uint32_t kVolumeType = 23;  // DMU_OT_ZVOL

// The number of a codec in a pointer: OpenZFS, include/sys/zio_compress.h.
std::uint32_t compression_number(const Compression& compression);

// Writes a pointer to a stored block into target, kPointerBytes long.
void write_pointer(const ZfsPointer& pointer, std::byte* target);
// Writes a pointer that holds the block itself: the first outcome.payload bytes of embedded.
void write_embedded_pointer(const ZfsPointer& pointer, const std::array<std::byte, 112>& embedded, std::byte* target);

}  // namespace blkpress
