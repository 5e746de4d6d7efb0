// Decoders written a second time from the formats, byte by byte and without a thought for speed: what our encoders
// write is judged by these, not by the decoders that were written beside them.
#pragma once

#include <optional>
#include <vector>

#include "blkpress/bytes.hpp"

namespace blkpress::test {

using Record = std::vector<std::byte>;

// The records of size bytes; nullopt: damaged. lz4: OpenZFS's frame, four bytes of length and a block.
std::optional<Record> decode_zle_slowly(ByteView source, std::size_t size);
std::optional<Record> decode_lzjb_slowly(ByteView source, std::size_t size);
std::optional<Record> decode_lz4_slowly(ByteView source, std::size_t size);

// One sequence of an LZ4 block: where its token stands in the block, its literals, and its match (0 for the last
// sequence).
struct Lz4Sequence {
  std::size_t token;
  std::size_t literals;
  std::size_t match_length;
  std::size_t distance;
};
std::optional<std::vector<Lz4Sequence>> lz4_sequences(ByteView block);

}  // namespace blkpress::test
