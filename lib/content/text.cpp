#include <algorithm>
#include <array>
#include <string>

#include "blkpress/corpus.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kColumns = 76;

struct Vocabulary {
  std::vector<std::string> words;
  std::vector<std::uint32_t> cumulative;  // weight of all words up to and including this one
  std::uint32_t total = 0;
};

std::string invent_word(CorpusRandom& random, int rank) {
  static constexpr std::array<std::string_view, 20> kOnsets = {"b", "c", "d", "f", "g",  "h",  "l",  "m",  "n",  "p",
                                                               "r", "s", "t", "v", "st", "tr", "ch", "th", "pl", "w"};
  static constexpr std::array<std::string_view, 8> kVowels = {"a", "e", "i", "o", "u", "ea", "io", "ou"};
  static constexpr std::array<std::string_view, 10> kEnds = {"", "n", "r", "s", "t", "l", "ng", "nd", "ck", "d"};
  int syllables = rank > 40 ? 2 : 1;
  if (random.below(3) == 0) ++syllables;
  if (rank > 1000 && random.below(2) != 0) ++syllables;
  std::string word;
  for (int i = 0; i < syllables; ++i) {
    word += kOnsets[random.below(kOnsets.size())];
    word += kVowels[random.below(kVowels.size())];
    if (random.below(2) != 0) word += kEnds[random.below(kEnds.size())];
  }
  return word;
}

const Vocabulary& vocabulary() {
  static const Vocabulary instance = [] {
    Vocabulary made;
    CorpusRandom random(0xC0FFEE1234567ULL);
    for (int rank = 0; rank < 4096; ++rank) {
      made.words.push_back(invent_word(random, rank));
      made.total += 4000000U / static_cast<std::uint32_t>(rank + 12);  // Zipf-Mandelbrot with shift 12
      made.cumulative.push_back(made.total);
    }
    return made;
  }();
  return instance;
}

}  // namespace

TextGenerator::TextGenerator(std::uint64_t seed) : random_(seed) {}

void TextGenerator::append(std::vector<std::byte>& target, std::size_t size) {
  const std::size_t end = target.size() + size;
  while (target.size() < end) append_word(target);
  target.resize(end);
}

void TextGenerator::append_word(std::vector<std::byte>& target) {
  const Vocabulary& all = vocabulary();
  const auto emit = [&](char c) {
    target.push_back(static_cast<std::byte>(c));
    ++column_;
  };
  const auto rank = std::upper_bound(all.cumulative.begin(), all.cumulative.end(), random_.below(all.total));
  std::string word = all.words[static_cast<std::size_t>(rank - all.cumulative.begin())];
  if (words_in_sentence_ == 0) word[0] = static_cast<char>(word[0] - 'a' + 'A');
  if (random_.below(60) == 0) word = std::to_string(random_.below(100000));
  if (column_ + word.size() > kColumns) {
    emit('\n');
    column_ = 0;
  } else if (column_ != 0) {
    emit(' ');
  }
  for (const char c : word) emit(c);
  ++words_in_sentence_;
  if (words_in_sentence_ > 4 && random_.below(9) == 0) {
    emit('.');
    words_in_sentence_ = 0;
    if (random_.below(12) == 0) {
      emit('\n');
      emit('\n');
      column_ = 0;
    }
  } else if (random_.below(14) == 0) {
    emit(',');
  }
}

std::vector<std::byte> generate_text(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> bytes;
  bytes.reserve(size + kColumns);
  TextGenerator(seed).append(bytes, size);
  return bytes;
}

}  // namespace blkpress
