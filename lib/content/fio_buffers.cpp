#include "blkpress/fio_buffers.hpp"

#include <algorithm>

#include "blkpress/result.hpp"

namespace blkpress {
namespace {

constexpr std::uint64_t kScrambledBlock = 512;

std::uint64_t largest_block(const FioAccess& access) {
  std::uint64_t largest = 0;
  if (access.reads) largest = std::max(largest, access.block_sizes[0].max);
  if (access.writes) largest = std::max(largest, access.block_sizes[1].max);
  return largest;
}

bool refills(const FioContent& content) {
  if (content.verify) return true;
  const bool implied = content.compress_percentage > 0 || content.dedupe_percentage > 0;
  return content.refill_buffers.value_or(implied);
}

bool scrambles(const FioContent& content) {
  if (refills(content) || content.compress_percentage > 0 || content.dedupe_percentage > 0) return false;
  return content.scramble_buffers.value_or(content.pattern.empty() && !content.zero_buffers);
}

// Which of the eight cache lines of each 512 bytes gets the offset: the same in all of one I/O.
std::uint64_t cache_line(std::uint64_t offset, FioTime start) { return (start.nanoseconds ^ offset) & 7; }

}  // namespace

bool fio_lays_out(const FioIoOptions& options) { return options.access.reads; }

FioBuffers::FioBuffers(const FioIoOptions& options, bool laid_out)
    : filler_(options),
      refill_(refills(options.content)),
      scramble_(scrambles(options.content)),
      gtod_reduce_(options.content.gtod_reduce),
      smallest_block_(options.access.block_sizes[1].min) {
  const std::uint64_t largest = largest_block(options.access);
  if (laid_out) {
    const std::uint64_t size = FioLayout(options).size();
    filler_.skip(size / largest, largest, largest);
    if (size % largest != 0) filler_.draw(size % largest, size % largest);
  }
  for (std::uint32_t i = 0; i < options.content.depth; ++i) {
    buffers_.push_back({filler_.draw(largest, smallest_block_), largest, false, {}, {}});
    idle_.push_back(i);
  }
}

std::uint32_t FioBuffers::acquire() {
  BLKPRESS_ASSERT(!idle_.empty());
  const std::uint32_t buffer = idle_.back();
  idle_.pop_back();
  return buffer;
}

void FioBuffers::release(std::uint32_t buffer) {
  BLKPRESS_ASSERT(buffer < buffers_.size() && idle_.size() < buffers_.size());
  idle_.push_back(buffer);
}

void FioBuffers::prepare(std::uint32_t index, const FioIo& io, FioTime start) {
  BLKPRESS_ASSERT(index < buffers_.size() && io.direction == FioDirection::write);
  if (io.lap != lap_) {
    lap_ = io.lap;
    filler_.restart();
  }
  Buffer& buffer = buffers_[index];
  buffer.length = io.length;
  if (refill_) {
    buffer.recipe = filler_.draw(io.length, smallest_block_);
    buffer.rendered = false;
  } else if (scramble_) {
    const Scramble added{io.offset, io.length, gtod_reduce_ ? FioTime{} : start};
    // What the new one overwrites entirely need not be remembered; so at most eight stay for equally long writes.
    std::erase_if(buffer.scrambles, [&](const Scramble& old) {
      return old.length <= added.length && cache_line(old.offset, old.start) == cache_line(added.offset, added.start);
    });
    buffer.scrambles.push_back(added);
  }
}

ByteView FioBuffers::bytes(std::uint32_t index) {
  BLKPRESS_ASSERT(index < buffers_.size());
  Buffer& buffer = buffers_[index];
  if (!buffer.rendered) {
    buffer.bytes.resize(buffer.recipe.length);
    filler_.render(buffer.recipe, smallest_block_, buffer.bytes);
    buffer.rendered = true;
  }
  for (const Scramble& scramble : buffer.scrambles) {
    const std::uint64_t line = cache_line(scramble.offset, scramble.start);
    for (std::uint64_t at = 0; at + kScrambledBlock <= scramble.length; at += kScrambledBlock) {
      std::byte* const block = buffer.bytes.data() + at;
      store_le<std::uint64_t>(block + 64 * line, scramble.offset + at);
      store_le<std::uint64_t>(block + 48, scramble.start.seconds);
      store_le<std::uint64_t>(block + 56, scramble.start.nanoseconds);
    }
  }
  buffer.scrambles.clear();
  return ByteView(buffer.bytes).first(buffer.length);
}

FioLayout::FioLayout(const FioIoOptions& options)
    : block_size_(largest_block(options.access)),
      size_(options.access.offset + options.access.size),
      filler_(options) {}

void FioLayout::read(std::uint64_t offset, ByteSpan target) {
  BLKPRESS_ASSERT(offset % block_size_ == 0 && offset + target.size() <= size_);
  while (!target.empty()) {
    const std::uint64_t block = offset / block_size_;
    if (block < next_block_) {
      filler_.restart();
      next_block_ = 0;
    }
    filler_.skip(block - next_block_, block_size_, block_size_);
    const std::uint64_t length = std::min<std::uint64_t>(block_size_, size_ - offset);
    BLKPRESS_ASSERT(target.size() >= length);
    filler_.render(filler_.draw(length, length), length, target.first(length));
    next_block_ = block + 1;
    offset += length;
    target = target.subspan(length);
  }
}

}  // namespace blkpress
