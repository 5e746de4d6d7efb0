#include "content/token_language.hpp"

#include <algorithm>
#include <string_view>

#include "blkpress/result.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kPage = 4096;

// Letters as often as in English (per mille: e 127, t 91, a 82 …; Lewand, Cryptological Mathematics, 2000), rounded.
constexpr std::string_view kLetters =
    "eeeeeeeeeeeeetttttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllcccuuummmwwffggyyppbbvk";

// What stands often in x86-64 code: REX prefixes, moves, calls, tests, stack offsets (counted by eye in disassemblies;
// the shares that matter are set by the tests' bounds on compressed size, which real programs gave).
constexpr std::array<std::uint8_t, 32> kCodeBytes = {0x48, 0x48, 0x48, 0x8b, 0x8b, 0x89, 0x89, 0x00, 0x00, 0x00, 0x0f,
                                                     0xe8, 0xff, 0xff, 0x85, 0xc0, 0x24, 0x44, 0x4c, 0x41, 0x74, 0x75,
                                                     0x83, 0xc7, 0x8d, 0x45, 0x08, 0x10, 0x18, 0x20, 0xeb, 0x31};

constexpr std::array<std::string_view, 8> kProseGaps = {" ", " ", " ", " ", " ", ", ", ". ", "\n"};
constexpr std::array<std::string_view, 16> kSourceGaps = {" ",  " ", " ",  "(",   "(",       ")",    ");\n    ",   ", ",
                                                          "->", ".", "::", " = ", ";\n    ", "\n\n", "\n        ", "_"};

// The item at each of 65536 equally likely places, when item k has the weight 1 / (k + shift).
template <std::size_t Size>
void spread_by_zipf(std::array<std::uint16_t, Size>& places, std::size_t items, std::uint64_t shift) {
  constexpr std::uint64_t kScale = std::uint64_t{1} << 32;
  std::uint64_t total = 0;
  for (std::uint64_t k = 0; k < items; ++k) total += kScale / (k + shift);
  std::uint64_t sum = 0;
  std::size_t place = 0;
  for (std::uint64_t k = 0; k < items; ++k) {
    sum += kScale / (k + shift);
    const auto end = static_cast<std::size_t>(static_cast<double>(sum) / static_cast<double>(total) * Size + 0.5);
    for (; place < end && place < Size; ++place) places[place] = static_cast<std::uint16_t>(k);
  }
  for (; place < Size; ++place) places[place] = static_cast<std::uint16_t>(items - 1);
}

}  // namespace

// Collects a page with room behind it, so that tokens are copied in one piece of constant size.
struct TokenLanguage::Writer {
  std::array<std::byte, kPage + 128> bytes;
  std::size_t used = 0;
  std::size_t end;

  [[nodiscard]] bool full() const { return used >= end; }
  void append(const Token& token) {
    std::memcpy(bytes.data() + used, token.bytes.data(), kLongest);
    used += token.length;
  }
  // At most 64 bytes.
  void echo(std::uint64_t distance, std::uint64_t count) {
    if (distance > used) return;
    for (std::uint64_t i = 0; i < count; ++i, ++used) bytes[used] = bytes[used - distance];
  }
};

const TokenLanguage& TokenLanguage::get(LanguageName name) {
  static const std::array<TokenLanguage, 5> kLanguages = {
      TokenLanguage(LanguageName::prose), TokenLanguage(LanguageName::source_text),
      TokenLanguage(LanguageName::machine_code), TokenLanguage(LanguageName::tables),
      TokenLanguage(LanguageName::system_text)};
  return kLanguages[static_cast<std::size_t>(name)];
}

// Chosen so that each language compresses as its real kind does: by lz4 and gzip-7 in records of 8 KiB, then by lz4,
// lzjb and gzip-7 in 128 KiB, in sectors of 512 bytes; within 10 %. Real ratios: prose (manual pages, licences, Perl's
// documentation) 1.80, 2.65, 2.60, 1.75, 4.0; source (C and C++ headers) 2.40, 3.62, 3.11, 2.39, 5.12; and of a Debian
// 12 base system its ELF files 1.64, 2.26, 1.86, 1.73, 2.59, its other binary files 1.82, 2.64, 2.18, 1.82, 3.28, and
// its text with the unused ends of blocks 3.04, 4.71, 3.92, 3.26, 6.38.
TokenLanguage::Shape TokenLanguage::shape_of(LanguageName name) {
  switch (name) {
    case LanguageName::prose:
      return {119, 2, 78, 36, 9, 4, true, 6};
    case LanguageName::source_text:
      return {95, 2, 120, 44, 2, 2, true, 4};
    case LanguageName::machine_code:
      return {4, 7, 110, 19, 70, 2, false, 4};
    case LanguageName::tables:
      return {49, 7, 70, 33, 27, 3, false, 4};
    case LanguageName::system_text:
      return {32, 2, 130, 53, 1, 2, true, 2};
  }
  return {};
}

TokenLanguage::TokenLanguage(LanguageName name) : shape_(shape_of(name)), tokens_(kTokens), separators_(32) {
  invent_tokens(name);
  spread_by_zipf(token_at_, kTokens, shape_.shift);
  spread_by_zipf(phrase_at_, kPhrases, 8);
}

void TokenLanguage::invent_tokens(LanguageName name) {
  Random random(0x746f6b656e73, static_cast<std::uint64_t>(name));
  const bool text = name != LanguageName::machine_code && name != LanguageName::tables;
  for (std::size_t rank = 0; rank < kTokens; ++rank) {
    Token& token = tokens_[rank];
    // Frequent words are short (Zipf): two to five letters at first, up to eleven later.
    if (text) {
      token.length = static_cast<std::uint8_t>(2 + random.below(rank < 64 ? 4 : 10));
      for (std::size_t i = 0; i < token.length; ++i)
        token.bytes[i] = std::byte(kLetters[random.below(kLetters.size())]);
    } else if (name == LanguageName::machine_code) {
      // An instruction: one to seven bytes, of which most are among the frequent ones.
      token.length = static_cast<std::uint8_t>(1 + random.below(7));
      for (std::size_t i = 0; i < token.length; ++i) {
        const std::uint64_t any = random.next();
        token.bytes[i] = std::byte((any & 3) != 0 ? kCodeBytes[any >> 8 & 31] : static_cast<std::uint8_t>(any >> 16));
      }
    } else {
      // A column of a record: four bytes, a small number in most cases.
      token.length = 4;
      store_le(token.bytes.data(), static_cast<std::uint32_t>(random.next() >> (36 + random.below(28))));
    }
  }
  for (std::size_t i = 0; text && i < separators_.size(); ++i) {
    const std::string_view gap =
        name == LanguageName::prose ? kProseGaps[i % kProseGaps.size()] : kSourceGaps[i % kSourceGaps.size()];
    separators_[i].length = static_cast<std::uint8_t>(gap.size());
    std::transform(gap.begin(), gap.end(), separators_[i].bytes.begin(), [](char c) { return std::byte(c); });
  }
}

void TokenLanguage::append_phrase(Writer& writer, std::uint64_t file_seed, std::uint64_t draw) const {
  std::uint64_t words = mix64(file_seed ^ (std::uint64_t{phrase_at_[draw & 65535]} << 32));
  for (std::uint64_t left = 2 + (words >> 48) % (shape_.phrase_tokens - 1); left > 0 && !writer.full(); --left) {
    writer.append(tokens_[token_at_[words & 65535]]);
    writer.append(separators_[words >> 16 & 31]);
    words = mix64(words);
  }
}

void TokenLanguage::append_fresh(Writer& writer, std::uint64_t draw) const {
  Token fresh;
  fresh.length = static_cast<std::uint8_t>(shape_.fresh_bytes);
  for (std::size_t i = 0; i < fresh.length; ++i) {
    const auto any = static_cast<std::uint8_t>(draw >> (6 * i));
    fresh.bytes[i] = std::byte(shape_.fresh_digits ? static_cast<std::uint8_t>('0' + any % 10) : any);
  }
  writer.append(fresh);
}

void TokenLanguage::fill(std::uint64_t file_seed, std::uint64_t page, ByteSpan target) const {
  BLKPRESS_ASSERT(target.size() <= kPage);
  Writer writer;
  writer.end = target.size();
  Random random(file_seed, page);
  while (!writer.full()) {
    const std::uint64_t draw = random.next();
    const std::uint64_t kind = draw & 255;
    if (kind < shape_.phrase_chance) {
      append_phrase(writer, file_seed, draw >> 16);
    } else if (kind < shape_.phrase_chance + shape_.echo_chance) {
      // As many at each power of two of distance.
      const std::uint64_t octave = std::uint64_t{4} << (draw >> 16 & 7);
      writer.echo(octave + (draw >> 19) % octave, 4 + (draw >> 32) % (shape_.echo_bytes - 3));
    } else {
      writer.append(tokens_[token_at_[draw >> 16 & 65535]]);
      writer.append(separators_[draw >> 32 & 31]);
    }
    if ((draw >> 8 & 255) < shape_.fresh_chance) append_fresh(writer, draw >> 40);
  }
  std::copy_n(writer.bytes.begin(), target.size(), target.begin());
}

}  // namespace blkpress
