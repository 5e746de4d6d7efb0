// A batch: up to a buffer of bytes from one or several files, read once and then looked at by every cell.
#pragma once

#include <cstdint>
#include <vector>

#include "blkpress/block_file.hpp"
#include "blkpress/bytes.hpp"

namespace blkpress {

// A part of one file in a batch. The parts of a file follow each other; each starts at a multiple of the batch's
// capacity, so that records of every policy lie in one part whole.
struct Piece {
  std::uint64_t file_bytes = 0;
  std::uint64_t offset = 0;           // in the file
  std::uint64_t unwritten_bytes = 0;  // a hole this long comes before it; a multiple of the capacity
  std::size_t begin = 0;              // in the batch
  std::size_t size = 0;
  std::vector<DataRange> holes;  // never written parts of [begin, begin + size), relative to begin, in order
  bool first = false;
  bool last = false;
  bool failed = false;  // with last: forget the file
};

struct Batch {
  explicit Batch(std::size_t capacity) : bytes(capacity) {}

  [[nodiscard]] ByteView view(const Piece& piece) const { return ByteView(bytes).subspan(piece.begin, piece.size); }
  void clear() {
    used = 0;
    pieces.clear();
  }

  std::vector<std::byte> bytes;
  std::size_t used = 0;
  std::vector<Piece> pieces;
};

}  // namespace blkpress
