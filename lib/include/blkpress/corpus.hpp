// The corpus: a fixed set of small files that spans what compression meets, generated and never stored.
//
// The goldens in data/golden say what real filesystems stored for these very bytes, so a file of a given name is the
// same on every machine; its SHA-256 is in data/golden/corpus.sha256. The generators behind the files are public for
// tests and benchmarks that need more of the same. Threads: pure functions; a TextGenerator belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "blkpress/bytes.hpp"

namespace blkpress {

// All names, such as "syntext.bin", in alphabetical order. Most files are 8 MiB.
std::span<const std::string_view> corpus_names();

// The content of one file of the corpus, generated anew (up to 0.3 s). name must be one of corpus_names().
std::vector<std::byte> corpus_file(std::string_view name);

// xorshift64* (Vigna 2014): the numbers behind the corpus. Elsewhere use random.hpp.
class CorpusRandom {
 public:
  explicit constexpr CorpusRandom(std::uint64_t seed) : state_(seed) {}  // seed: not 0

  constexpr std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1DULL;
  }
  // Uniform in [0, bound).
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

 private:
  std::uint64_t state_;
};

// Prose of invented words: their frequencies follow Zipf's law, they stand in sentences, paragraphs and lines of at
// most 76 columns, and about one in sixty is a number.
class TextGenerator {
 public:
  explicit TextGenerator(std::uint64_t seed);  // seed: not 0

  // Appends exactly size bytes. The text goes on where the last call ended, except that a word cut by its end is lost.
  void append(std::vector<std::byte>& target, std::size_t size);

 private:
  void append_word(std::vector<std::byte>& target);

  CorpusRandom random_;
  std::size_t column_ = 0;
  int words_in_sentence_ = 0;
};

// Each returns exactly size bytes that depend only on size and seed (not 0).
std::vector<std::byte> generate_random(std::size_t size, std::uint64_t seed);  // incompressible
std::vector<std::byte> generate_text(std::size_t size, std::uint64_t seed);    // see TextGenerator

// Heap pages of 8 KiB laid out as PostgreSQL's are: header, line pointers, tuples from the end backwards; some half
// full, some never initialised. size: a multiple of 8192.
std::vector<std::byte> generate_database_pages(std::size_t size, std::uint64_t seed);

// 64 KiB of zeros, of text and of random bytes in turn.
std::vector<std::byte> generate_mixed(std::size_t size, std::uint64_t seed);

// Block k of 128 KiB starts with (k mod 64) / 64 random bytes, the rest is text: it crosses every keep limit. size: a
// multiple of 131072.
std::vector<std::byte> generate_ramp(std::size_t size, std::uint64_t seed);

// Block k of 4 KiB starts with (k mod 65) * 64 random bytes, the rest is zero: it crosses the limits of sector rounding
// and of embedding. size: a multiple of 4096.
std::vector<std::byte> generate_sector_ramp(std::size_t size, std::uint64_t seed);

// A Windows bitmap of 2048 x 1365 pixels of 24 bits, three smooth gradients without noise.
std::vector<std::byte> generate_gradient_bitmap();

}  // namespace blkpress
