// Unaligned machine words and the number of equal bytes in front of two places: what match finders spend their time on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace blkpress {

// load_le() of bytes.hpp goes byte by byte, and g++ 12 does not make one load of it at -O2.
template <class Word>
inline Word load_word(const std::byte* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

inline std::uint32_t load_word_le32(const std::byte* from) {
  const auto word = load_word<std::uint32_t>(from);
  return std::endian::native == std::endian::little ? word : __builtin_bswap32(word);
}

inline void store_word_le16(std::byte* to, std::uint16_t word) {
  if (std::endian::native != std::endian::little) word = __builtin_bswap16(word);
  std::memcpy(to, &word, sizeof word);
}

// The index in memory of the first byte of a word that is not zero; word != 0.
inline std::size_t first_nonzero_byte(std::uint64_t word) {
  const int bits = std::endian::native == std::endian::little ? std::countr_zero(word) : std::countl_zero(word);
  return static_cast<std::size_t>(bits) / 8;
}

// How many bytes of data from a on equal those from b on, before a reaches end; b < a <= end.
inline std::size_t equal_bytes(const std::byte* data, std::size_t a, std::size_t b, std::size_t end) {
  const std::size_t start = a;
  while (a + 8 <= end) {
    const std::uint64_t difference = load_word<std::uint64_t>(data + a) ^ load_word<std::uint64_t>(data + b);
    if (difference != 0) return a - start + first_nonzero_byte(difference);
    a += 8;
    b += 8;
  }
  if (a + 4 <= end && load_word<std::uint32_t>(data + a) == load_word<std::uint32_t>(data + b)) a += 4, b += 4;
  if (a + 2 <= end && load_word<std::uint16_t>(data + a) == load_word<std::uint16_t>(data + b)) a += 2, b += 2;
  if (a < end && data[a] == data[b]) ++a;
  return a - start;
}

}  // namespace blkpress
