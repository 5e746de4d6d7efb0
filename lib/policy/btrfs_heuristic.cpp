#include "policy/btrfs_heuristic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>

#include "blkpress/result.hpp"
#include "policy/btrfs_layout.hpp"

namespace blkpress {
namespace {

// Linux, fs/btrfs/compression.c: SAMPLING_READ_SIZE, SAMPLING_INTERVAL, BYTE_SET_THRESHOLD, BYTE_CORE_SET_LOW,
// BYTE_CORE_SET_HIGH, ENTROPY_LVL_OK, ENTROPY_LVL_HIGH.
constexpr std::size_t kSampleBytes = 16;
constexpr std::size_t kSampleInterval = 256;
constexpr std::size_t kFewValues = 64;
constexpr std::size_t kSmallCore = 64;
constexpr std::size_t kWideCore = 200;
constexpr std::uint64_t kLowPercent = 65;
constexpr std::uint64_t kHighPercent = 80;

struct Sample {
  std::array<std::byte, kBtrfsExtent / kSampleInterval* kSampleBytes> bytes = {};
  std::size_t size = 0;
};

Sample take_sample(ByteView bytes) {
  BLKPRESS_ASSERT(!bytes.empty() && bytes.size() <= kBtrfsExtent);
  Sample sample;
  for (std::size_t at = 0; at < round_up(bytes.size(), kBtrfsSector); at += kSampleInterval) {
    if (at < bytes.size()) {
      std::memcpy(sample.bytes.data() + sample.size, bytes.data() + at, std::min(kSampleBytes, bytes.size() - at));
    }
    sample.size += kSampleBytes;
  }
  return sample;
}

// A logarithm to base 2 in quarters, rounded down. n <= 8192, so that its fourth power fits.
std::uint64_t log2_quarters(std::uint64_t n) { return static_cast<std::uint64_t>(std::bit_width(n * n * n * n)) - 1; }

// Of eight bits a byte, as the kernel computes it in whole numbers.
std::uint64_t entropy_percent(const std::array<std::uint64_t, 256>& counts, std::uint64_t size) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) {
    if (count > 0) sum += count * (log2_quarters(size) - log2_quarters(count));
  }
  constexpr std::uint64_t kMost = 8 * 4;
  return sum / size * 100 / kMost;
}

}  // namespace

BtrfsGuess btrfs_guess(ByteView bytes) {
  const Sample sample = take_sample(bytes);
  if (std::memcmp(sample.bytes.data(), sample.bytes.data() + sample.size / 2, sample.size / 2) == 0) {
    return BtrfsGuess::repeats;
  }
  std::array<std::uint64_t, 256> counts = {};
  for (std::size_t i = 0; i < sample.size; ++i) ++counts[std::to_integer<std::size_t>(sample.bytes[i])];
  if (256 - std::count(counts.begin(), counts.end(), 0U) < static_cast<std::ptrdiff_t>(kFewValues)) {
    return BtrfsGuess::few_values;
  }
  std::sort(counts.begin(), counts.end(), std::greater<>());
  std::size_t core = 0;
  for (std::uint64_t covered = 0; covered <= sample.size * 90 / 100; ++core) covered += counts[core];
  if (core <= kSmallCore) return BtrfsGuess::small_core;
  if (core >= kWideCore) return BtrfsGuess::wide_core;
  const std::uint64_t percent = entropy_percent(counts, sample.size);
  if (percent <= kLowPercent) return BtrfsGuess::low_entropy;
  return percent < kHighPercent ? BtrfsGuess::some_entropy : BtrfsGuess::high_entropy;
}

}  // namespace blkpress
