// The sample by which Btrfs guesses whether compression is worth trying.
#pragma once

#include <cstdint>

#include "blkpress/bytes.hpp"

namespace blkpress {

// What decided, in the order in which Btrfs asks.
enum class BtrfsGuess : std::uint8_t {
  repeats,       // compress: the second half of the sample equals the first
  few_values,    // compress: fewer than 64 byte values
  small_core,    // compress: at most 64 values make up nine tenths
  wide_core,     // do not: 200 values or more
  low_entropy,   // compress: at most 65 % of eight bits a byte
  some_entropy,  // compress: below 80 %
  high_entropy,  // do not
};

// bytes: 1 to 128 KiB. They are sampled in whole pages, with zeros behind their end.
BtrfsGuess btrfs_guess(ByteView bytes);
// Whether that guess says compress.
constexpr bool worth_trying(BtrfsGuess guess) {
  return guess != BtrfsGuess::wide_core && guess != BtrfsGuess::high_entropy;
}

}  // namespace blkpress
