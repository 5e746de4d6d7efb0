// What a fio job writes: its I/O buffers, filled and scrambled as fio does it.
//
// Random draws happen when a write is prepared, bytes are made only when asked for: a simulator can run through
// millions of writes and look at the content of a few. Threads: an object belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "blkpress/fio_offsets.hpp"
#include "blkpress/fio_options.hpp"
#include "blkpress/fio_random.hpp"

namespace blkpress {

// Writes target full of the words that fio's generator makes of seed.
void fio_fill(FioFill generator, std::uint64_t seed, ByteSpan target);

// The start of an I/O on fio's clock; scrambling writes both numbers into the buffer.
struct FioTime {
  std::uint64_t seconds = 0;
  std::uint64_t nanoseconds = 0;  // below 10^9
};

// One fill of a buffer, before its bytes are made: the random state that it starts from.
struct FioFillRecipe {
  FioRandom state;
  std::uint64_t length = 0;  // bytes
};

// How one job fills buffers: which parts are random, and how many draws that takes.
class FioFiller {
 public:
  explicit FioFiller(const FioIoOptions& options);

  // Decides one fill of length bytes and advances the streams. piece: the smallest block, which bounds the pieces.
  FioFillRecipe draw(std::uint64_t length, std::uint64_t smallest_block);
  void render(const FioFillRecipe& recipe, std::uint64_t smallest_block, ByteSpan target) const;

  // As count draws of that length.
  void skip(std::uint64_t count, std::uint64_t length, std::uint64_t smallest_block);

  void restart();  // all streams from their seeds

 private:
  enum class Kind { random, pieces, pattern, zeros };

  [[nodiscard]] std::uint64_t piece_size(std::uint64_t smallest_block) const;
  [[nodiscard]] std::uint64_t draws(std::uint64_t length, std::uint64_t smallest_block) const;
  void render_pieces(FioRandom state, std::uint64_t piece, ByteSpan target) const;
  void render_rest(ByteSpan target) const;

  FioContent content_;
  Kind kind_;
  std::uint64_t working_set_ = 0;  // prepared states
  std::uint64_t working_set_draws_ = 0;
  FioSeeds seeds_;
  FioRandom buffer_;
  FioRandom dedupe_;
  FioRandom dedupe_working_set_;
};

// The buffers of a job that writes.
class FioBuffers {
 public:
  // options must pass check() and write. laid_out: the job also reads and fio lays its file out first, see FioLayout.
  FioBuffers(const FioIoOptions& options, bool laid_out);

  // fio keeps its idle buffers on a stack. acquire one per write at its issue, release it at its completion; at most as
  // many as content.depth at a time.
  std::uint32_t acquire();
  void release(std::uint32_t buffer);

  // Fills and scrambles what the write needs. Call it in issue order, for writes only. Time: constant, or for refilled
  // buffers proportional to length / 512.
  void prepare(std::uint32_t buffer, const FioIo& io, FioTime start);

  // The bytes of the write that was prepared last in this buffer; valid until the next call.
  ByteView bytes(std::uint32_t buffer);

 private:
  struct Scramble {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    FioTime start;
  };
  struct Buffer {
    FioFillRecipe recipe;
    std::uint64_t length;  // of the write prepared last
    bool rendered = false;
    std::vector<Scramble> scrambles;  // not yet in bytes, oldest first
    std::vector<std::byte> bytes;
  };

  FioFiller filler_;
  bool refill_;
  bool scramble_;
  bool gtod_reduce_;
  std::uint64_t smallest_block_;
  std::uint64_t lap_ = 0;
  std::vector<Buffer> buffers_;
  std::vector<std::uint32_t> idle_;
};

// The file that fio lays out before a job that reads it: blocks of the largest block size, each filled anew.
class FioLayout {
 public:
  explicit FioLayout(const FioIoOptions& options);

  [[nodiscard]] std::uint64_t block_size() const { return block_size_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }  // of the file, bytes

  // Writes the content from offset, a multiple of block_size(); target ends at a block's or the file's end. Any order;
  // with dedupe_percentage ascending order is fast.
  void read(std::uint64_t offset, ByteSpan target);

 private:
  std::uint64_t block_size_;
  std::uint64_t size_;
  FioFiller filler_;
  std::uint64_t next_block_ = 0;
};

// True when fio has to lay out the job's file first (it reads) if the file does not exist yet.
bool fio_lays_out(const FioIoOptions& options);

}  // namespace blkpress
