// Bytes that look like prose, source text, machine code or tables to a compressor: tokens of a fixed dictionary drawn
// by Zipf's law, phrases of them that a file repeats, and fresh bytes between them.
//
// Any page can be made without those before it. Threads: const functions; any.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "blkpress/bytes.hpp"
#include "blkpress/random.hpp"

namespace blkpress {

enum class LanguageName : std::uint8_t { prose, source_text, machine_code, tables, system_text };

class TokenLanguage {
 public:
  // The one of that name, made at first use (a few milliseconds).
  static const TokenLanguage& get(LanguageName name);

  // Writes one page (at most 4 KiB) of the file with that seed.
  void fill(std::uint64_t file_seed, std::uint64_t page, ByteSpan target) const;

 private:
  static constexpr std::size_t kTokens = 4096;
  static constexpr std::size_t kPhrases = 1024;
  static constexpr std::size_t kLongest = 16;

  struct Token {
    std::array<std::byte, kLongest> bytes = {};
    std::uint8_t length = 0;
  };
  // Chances are of 256.
  struct Shape {
    std::uint32_t phrase_chance;  // that a phrase follows instead of a token
    std::uint32_t phrase_tokens;  // of the longest phrase; the shortest has two
    std::uint32_t echo_chance;    // that something of the last KiB is repeated instead
    std::uint32_t echo_bytes;     // of the longest such repetition; the shortest has four
    std::uint32_t fresh_chance;   // that fresh bytes follow
    std::uint32_t fresh_bytes;    // 1 … 4
    bool fresh_digits;            // decimal digits instead of any byte
    std::uint32_t shift;          // of Zipf-Mandelbrot's law among the tokens
  };
  struct Writer;

  explicit TokenLanguage(LanguageName name);
  void append_phrase(Writer& writer, std::uint64_t file_seed, std::uint64_t draw) const;
  void append_fresh(Writer& writer, std::uint64_t draw) const;
  void invent_tokens(LanguageName name);
  [[nodiscard]] static Shape shape_of(LanguageName name);

  Shape shape_;
  std::vector<Token> tokens_;
  std::vector<Token> separators_;                   // 32, so that five random bits choose one
  std::array<std::uint16_t, 65536> token_at_ = {};  // by 16 random bits
  std::array<std::uint16_t, 65536> phrase_at_ = {};
};

}  // namespace blkpress
