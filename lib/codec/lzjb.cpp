// LZJB, the first codec of ZFS, written from its format; its lengths equal OpenZFS's (module/zfs/lzjb.c).
//
// Up to eight items follow a control byte, the first item in bit 0. Bit clear: one literal byte. Bit set: a match of
// two bytes, big-endian, with length - 3 in the upper 6 bits and the distance in the lower 10.
#include <algorithm>
#include <array>

#include "codec/registry.hpp"
#include "codec/words.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kShortestMatch = 3;
constexpr std::size_t kLongestMatch = 66;
constexpr std::size_t kWindow = 1024;  // also the number of hash slots
constexpr unsigned kItems = 8;
// A control byte, eight matches and one byte more: OpenZFS gives up when less is left before a group.
constexpr std::size_t kGroupRoom = 1 + 2 * kItems + 1;

std::size_t slot_of(const std::byte* data) {
  auto hash = static_cast<std::uint32_t>(data[0]) << 16 | static_cast<std::uint32_t>(data[1]) << 8 |
              static_cast<std::uint32_t>(data[2]);
  hash += hash >> 9;
  hash += hash >> 5;
  return hash % kWindow;
}

// The length of the match of at with from; at least kLongestMatch bytes lie behind at. 0: fewer than three bytes agree.
std::size_t match_length(const std::byte* data, std::size_t at, std::size_t from) {
  if (load_word<std::uint16_t>(data + at) != load_word<std::uint16_t>(data + from)) return 0;
  if (data[at + 2] != data[from + 2]) return 0;
  return kShortestMatch + equal_bytes(data, at + kShortestMatch, from + kShortestMatch, at + kLongestMatch);
}

class LzjbContext final : public CodecContext {
 public:
  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    slots_.fill(0);
    const std::byte* data = source.data();
    std::byte* const begin = target.data();
    std::byte* const end = begin + target.size();
    std::byte* out = begin;
    std::size_t at = 0;
    while (at < source.size()) {
      if (static_cast<std::size_t>(end - out) < kGroupRoom) return std::nullopt;
      std::byte* const control = out++;
      unsigned matches = 0;
      for (unsigned item = 0; item < kItems && at < source.size(); ++item) {
        std::size_t distance = 0;
        const std::size_t length = source.size() - at < kLongestMatch ? 0 : find(data, at, distance);
        if (length == 0) {
          *out++ = data[at++];
          continue;
        }
        matches |= 1U << item;
        *out++ = static_cast<std::byte>((length - kShortestMatch) << 2 | distance >> 8);
        *out++ = static_cast<std::byte>(distance);
        at += length;
      }
      *control = static_cast<std::byte>(matches);
    }
    return static_cast<std::size_t>(out - begin);
  }

  Status decompress(ByteView source, ByteSpan target) override {
    std::size_t in = 0;
    std::size_t out = 0;
    while (out < target.size()) {
      if (in == source.size()) return corrupt_record("lzjb", "it ends early");
      const auto control = static_cast<unsigned>(source[in++]);
      for (unsigned item = 0; item < kItems && out < target.size(); ++item) {
        if ((control >> item & 1) == 0) {
          if (in == source.size()) return corrupt_record("lzjb", "it ends early");
          target[out++] = source[in++];
          continue;
        }
        if (source.size() - in < 2) return corrupt_record("lzjb", "it ends inside a match");
        const auto match = load_be<std::uint16_t>(source.data() + in);
        in += 2;
        const std::size_t length = (match >> 10) + kShortestMatch;
        const std::size_t distance = match % kWindow;
        if (distance == 0 || distance > out) return corrupt_record("lzjb", "a match lies before the record");
        if (length > target.size() - out) return corrupt_record("lzjb", "a match goes past the record");
        // Byte by byte, because a match may overlap what it writes.
        for (const std::size_t stop = out + length; out < stop; ++out) target[out] = target[out - distance];
      }
    }
    return ok();
  }

 private:
  // The match at `at`, or 0. The slots hold the low bits of positions in the record. OpenZFS has addresses there, whose
  // low 10 bits are the same because its buffers are aligned to pages; no more bits take part in the distance.
  std::size_t find(const std::byte* data, std::size_t at, std::size_t& distance) {
    std::uint16_t& slot = slots_[slot_of(data + at)];
    distance = (at - slot) % kWindow;
    slot = static_cast<std::uint16_t>(at);
    if (distance == 0 || distance > at) return 0;
    return match_length(data, at, at - distance);
  }

  std::array<std::uint16_t, kWindow> slots_;
};

}  // namespace

CodecInfo lzjb_codec() {
  return {.name = {},
          .description = "the first codec of ZFS",
          .library = "own",
          .library_version = no_library_version,
          .levels = {},
          .default_level = 0,
          .make_context = make_context_without_level<LzjbContext>};
}

}  // namespace blkpress
