// ZLE: runs of zeros are counted, everything else is copied (OpenZFS, module/zfs/zle.c, with n = 64).
//
// A control byte b below 64 announces b + 1 literal bytes; from 64 on it stands for b - 63 zeros.
#include <algorithm>

#include "codec/registry.hpp"
#include "codec/words.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kLongestLiteral = 64;
constexpr std::size_t kLongestZeroRun = 192;

// The number of zeros at the front of data[0, size).
std::size_t zero_run(const std::byte* data, std::size_t size) {
  std::size_t run = 0;
  for (; run + 8 <= size; run += 8) {
    const auto word = load_word<std::uint64_t>(data + run);
    if (word != 0) return run + first_nonzero_byte(word);
  }
  while (run < size && data[run] == std::byte{0}) ++run;
  return run;
}

// The first of two zeros in a row that both lie in data[0, size), or size - 1 when there are none; size > 0.
std::size_t double_zero(const std::byte* data, std::size_t size) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::size_t at = 0;
  for (; at + 9 <= size; at += 8) {
    // A byte is zero when the byte there and its neighbour both are. The subtraction finds whether any is.
    const std::uint64_t pairs = load_word<std::uint64_t>(data + at) | load_word<std::uint64_t>(data + at + 1);
    if (((pairs - kOnes) & ~pairs & (kOnes << 7)) != 0) break;
  }
  while (at + 1 < size && (data[at] | data[at + 1]) != std::byte{0}) ++at;
  return at;
}

class ZleContext final : public CodecContext {
 public:
  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    std::size_t in = 0;
    std::size_t out = 0;
    while (in < source.size()) {
      if (target.size() - out < 2) return std::nullopt;
      const std::byte* data = source.data() + in;
      const std::size_t left = source.size() - in;
      if (*data == std::byte{0}) {
        const std::size_t run = zero_run(data, std::min(left, kLongestZeroRun));
        target[out++] = static_cast<std::byte>(run - 1 + kLongestLiteral);
        in += run;
        continue;
      }
      // OpenZFS asks for the room of the longest literal, however short this one turns out.
      if (target.size() - (out + 1) < kLongestLiteral) return std::nullopt;
      std::size_t run = double_zero(data, std::min(left, kLongestLiteral));
      // A literal does not end with a zero: that one begins the next run.
      if (data[run] != std::byte{0}) ++run;
      target[out++] = static_cast<std::byte>(run - 1);
      std::copy_n(data, run, target.data() + out);
      out += run;
      in += run;
    }
    return out;
  }

  Status decompress(ByteView source, ByteSpan target) override {
    std::size_t in = 0;
    std::size_t out = 0;
    while (out < target.size()) {
      if (in == source.size()) return corrupt_record("zle", "it ends early");
      const auto control = static_cast<std::size_t>(source[in++]);
      const bool literal = control < kLongestLiteral;
      const std::size_t run = literal ? control + 1 : control + 1 - kLongestLiteral;
      if (run > target.size() - out) return corrupt_record("zle", "a run goes past the record");
      if (literal) {
        if (run > source.size() - in) return corrupt_record("zle", "it ends inside a literal");
        std::copy_n(source.data() + in, run, target.data() + out);
        in += run;
      } else {
        std::fill_n(target.data() + out, run, std::byte{0});
      }
      out += run;
    }
    return ok();
  }
};

}  // namespace

CodecInfo zle_codec() {
  return {.name = {},
          .description = "counts runs of zeros",
          .library = "own",
          .library_version = no_library_version,
          .levels = {},
          .default_level = 0,
          .make_context = make_context_without_level<ZleContext>};
}

}  // namespace blkpress
