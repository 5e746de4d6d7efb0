// LZ4 with matches found as OpenZFS finds them, so that lengths are OpenZFS's to the byte (module/zfs/lz4.c: the finder
// of 2013, which liblz4 left long ago). The result is an ordinary LZ4 block.
//
// A block is a list of sequences: a token (the number of literals in the upper 4 bits, match length - 4 in the lower;
// 15 means that bytes follow which add to it, up to the first below 255), the literals, a little-endian 16-bit
// distance. The last sequence has no match.
#include <algorithm>
#include <array>

#include "codec/lz4_frame.hpp"
#include "codec/registry.hpp"
#include "codec/words.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kShortestMatch = 4;
constexpr std::size_t kLastLiterals = 5;    // the format ends a block with at least so many
constexpr std::size_t kNoMatchWithin = 12;  // of the end: no match starts there
constexpr std::size_t kShortestInput = kNoMatchWithin + 1;
constexpr std::size_t kFarthest = 65535;
constexpr std::size_t kNibble = 15;
constexpr unsigned kSkipStrength = 6;
constexpr unsigned kFirstAttempt = (1U << kSkipStrength) + 3;

// Inputs below 64 KiB + 11 bytes have positions that fit 16 bits, hence twice as many slots and no distance limit.
constexpr std::size_t kNarrowInput = 65547;
struct Narrow {
  using Slot = std::uint16_t;
  static constexpr unsigned kBits = 13;
  static constexpr bool kHasLimit = false;
};
struct Wide {
  using Slot = std::uint32_t;
  static constexpr unsigned kBits = 12;
  static constexpr bool kHasLimit = true;
};
template <class Width>
using Slots = std::array<typename Width::Slot, std::size_t{1} << Width::kBits>;

// Appends sequences to a block. Every member that returns bool: false means that the block does not fit.
class BlockWriter {
 public:
  explicit BlockWriter(ByteSpan target) : begin_(target.data()), out_(begin_), end_(begin_ + target.size()) {}

  // Begins a sequence: the literals from data[at, at + count). size: of all data.
  bool literals(const std::byte* data, std::size_t at, std::size_t count, std::size_t size) {
    // OpenZFS's estimate of the room for the token, the literals, a distance and the last literals.
    if (1 + count + 8 + count / 256 > room()) [[unlikely]]
      return false;
    token_ = out_++;
    if (count < kNibble) [[likely]] {
      *token_ = static_cast<std::byte>(count << 4);
      // One wide copy without a loop, where that stays inside both buffers.
      if (at + 16 <= size && room() >= 16) [[likely]] {
        std::memcpy(out_, data + at, 16);
      } else {
        std::copy_n(data + at, count, out_);
      }
    } else {
      *token_ = static_cast<std::byte>(kNibble << 4);
      // The estimate falls short of the truth past some 400,000 literals; OpenZFS would write past its buffer.
      if ((count - kNibble) / 255 + 1 + count + 2 > room()) return false;
      put_length(count - kNibble);
      std::copy_n(data + at, count, out_);
    }
    out_ += count;
    return true;
  }

  // Begins a sequence of a match that follows another at once. OpenZFS does not ask for room here; it is always there
  // unless an estimate below fell short.
  bool no_literals() {
    token_ = out_;
    if (room() < 3) [[unlikely]]
      return false;
    *out_++ = std::byte{0};
    return true;
  }

  // Ends a sequence with its match; length counts from the fifth byte.
  bool match(std::size_t distance, std::size_t length) {
    store_word_le16(out_, static_cast<std::uint16_t>(distance));
    out_ += 2;
    if (6 + length / 256 > room()) [[unlikely]]
      return false;
    if (length < kNibble) [[likely]] {
      *token_ |= static_cast<std::byte>(length);
      return true;
    }
    *token_ |= static_cast<std::byte>(kNibble);
    const std::size_t rest = length - kNibble;
    if (rest < 255) {
      *out_++ = static_cast<std::byte>(rest);
      return true;
    }
    if (rest / 255 + 1 > room()) return false;
    put_length(rest);
    return true;
  }

  // The literals that end the block, data[at, size). The size of the block, or nullopt.
  std::optional<std::size_t> finish(const std::byte* data, std::size_t at, std::size_t size) {
    const std::size_t count = size - at;
    if (1 + count + (count + 240) / 255 > room()) return std::nullopt;
    *out_++ = static_cast<std::byte>(std::min(count, kNibble) << 4);
    if (count >= kNibble) put_length(count - kNibble);
    out_ = std::copy_n(data + at, count, out_);
    return static_cast<std::size_t>(out_ - begin_);
  }

 private:
  [[nodiscard]] std::size_t room() const { return static_cast<std::size_t>(end_ - out_); }

  void put_length(std::size_t rest) {
    out_ = std::fill_n(out_, rest / 255, std::byte{255});
    *out_++ = static_cast<std::byte>(rest % 255);
  }

  std::byte* const begin_;
  std::byte* out_;
  std::byte* token_ = nullptr;
  std::byte* const end_;
};

// Finds matches of one record. The slots hold positions in it, and 0 at the start: position 0 is a candidate for all.
template <class Width>
class MatchFinder {
 public:
  // source: at least kShortestInput bytes.
  MatchFinder(ByteView source, Slots<Width>& slots) : data_(source.data()), end_(source.size()), slots_(slots.data()) {
    slots.fill(0);
  }

  // Moves at forward to the first probe that matches, and sets from. The further it looks in vain the larger its steps.
  // false: nothing up to the end.
  bool search(std::size_t& at, std::size_t& from) {
    unsigned attempts = kFirstAttempt;
    std::size_t next = at;
    std::size_t next_slot = slot_of(next);
    do {
      const std::size_t slot = next_slot;
      at = next;
      next += attempts++ >> kSkipStrength;
      if (is_too_late(next)) return false;
      next_slot = slot_of(next);
      from = slots_[slot];
      slots_[slot] = static_cast<typename Width::Slot>(at);
    } while (!matches(at, from));
    return true;
  }

  // Whether another match starts exactly where the last one ended.
  bool follows(std::size_t at, std::size_t& from) {
    slots_[slot_of(at - 2)] = static_cast<typename Width::Slot>(at - 2);
    const std::size_t slot = slot_of(at);
    from = slots_[slot];
    slots_[slot] = static_cast<typename Width::Slot>(at);
    return matches(at, from);
  }

  // How far the match of four bytes goes on behind them.
  [[nodiscard]] std::size_t length_behind(std::size_t at, std::size_t from) const {
    return equal_bytes(data_, at + kShortestMatch, from + kShortestMatch, end_ - kLastLiterals);
  }

  [[nodiscard]] bool is_too_late(std::size_t at) const { return at > end_ - kNoMatchWithin; }

 private:
  [[nodiscard]] std::size_t slot_of(std::size_t at) const {
    return load_word_le32(data_ + at) * 2654435761U >> (32 - Width::kBits);
  }

  [[nodiscard]] bool matches(std::size_t at, std::size_t from) const {
    if (Width::kHasLimit && at - from > kFarthest) return false;
    return load_word<std::uint32_t>(data_ + at) == load_word<std::uint32_t>(data_ + from);
  }

  const std::byte* const data_;
  const std::size_t end_;
  typename Width::Slot* const slots_;
};

template <class Width>
std::optional<std::size_t> compress_with(ByteView source, ByteSpan target, Slots<Width>& slots) {
  const std::byte* const data = source.data();
  MatchFinder<Width> finder(source, slots);
  BlockWriter block(target);
  std::size_t written_up_to = 0;
  std::size_t at = 1;
  std::size_t from = 0;
  while (finder.search(at, from)) {
    while (at > written_up_to && from > 0 && data[at - 1] == data[from - 1]) --at, --from;
    if (!block.literals(data, written_up_to, at - written_up_to, source.size())) return std::nullopt;
    for (;;) {
      const std::size_t length = finder.length_behind(at, from);
      if (!block.match(at - from, length)) return std::nullopt;
      at += kShortestMatch + length;
      written_up_to = at;
      if (finder.is_too_late(at)) return block.finish(data, at, source.size());
      if (!finder.follows(at, from)) break;
      if (!block.no_literals()) return std::nullopt;
    }
    ++at;
  }
  return block.finish(data, written_up_to, source.size());
}

class Lz4Context final : public Lz4FrameContext {
  std::optional<std::size_t> compress_block(ByteView source, ByteSpan target) override {
    if (source.size() < kShortestInput) return BlockWriter(target).finish(source.data(), 0, source.size());
    if (source.size() < kNarrowInput) return compress_with<Narrow>(source, target, narrow_);
    return compress_with<Wide>(source, target, wide_);
  }

  Slots<Narrow> narrow_;
  Slots<Wide> wide_;
};

}  // namespace

CodecInfo lz4_codec() {
  return {.name = {},
          .description = "LZ4 with matches found as OpenZFS finds them; decoded by liblz4",
          .library = "own",
          .library_version = no_library_version,
          .levels = {},
          .default_level = 0,
          .make_context = make_context_without_level<Lz4Context>};
}

}  // namespace blkpress
