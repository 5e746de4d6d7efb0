// Records of every kind of content, of any size up to 16 MiB, for the contract tests of the codecs.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "blkpress/codec.hpp"

namespace blkpress::test {

inline constexpr std::size_t kLargestRecord = 16 * kMiB;

// "zeros", "constant", "random", "text", "database", "gradient", "sparse", "repeats".
std::span<const std::string_view> kinds_of_content();

// size bytes of that kind. Which bytes depends on size, so that records of different sizes are not prefixes of one
// another.
ByteView sample_record(std::string_view kind, std::size_t size);

// Every codec with every level, as parse_compression would give it.
std::vector<Compression> all_compressions();

// Those whose compression is quick enough for large records and many repetitions in the default run.
std::vector<Compression> quick_compressions();

// The largest result of any codec for a record of size bytes.
inline std::size_t worst_case(std::size_t size) { return size + size / 8 + 256; }

}  // namespace blkpress::test
