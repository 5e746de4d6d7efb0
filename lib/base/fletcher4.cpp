#include "blkpress/fletcher4.hpp"

#include <bit>

#include "blkpress/result.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kLanes = 4;
using Sums = std::array<std::uint64_t, 4>;

// The sums of one word more.
void add_word(Sums& sums, std::uint32_t word) {
  sums[0] += word;
  sums[1] += sums[0];
  sums[2] += sums[1];
  sums[3] += sums[2];
}

// C(x + order - 1, order), the weight of the x-th word from the end in the sum of that order; also for x <= 0, where
// the polynomial is continued.
constexpr std::int64_t weight(std::size_t order, std::int64_t x) {
  switch (order) {
    case 0:
      return 1;
    case 1:
      return x;
    case 2:
      return x * (x + 1) / 2;
    default:
      return x * (x + 1) * (x + 2) / 6;
  }
}

// kMerge[order][lane][m]: what sum m of a lane contributes to the whole sum of that order. A lane sees every kLanes-th
// word, so its r-th word from the end is word kLanes * r - lane of the whole. Newton's backward formula writes
// weight(order, kLanes * r - lane) in terms of weight(m, r): the coefficients are the backward differences at r = 0.
using MergeTable = std::array<std::array<std::array<std::uint64_t, 4>, kLanes>, 4>;
constexpr MergeTable make_merge_table() {
  MergeTable table{};
  for (std::size_t order = 0; order < 4; ++order) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      std::array<std::int64_t, 4> difference{};
      for (std::size_t i = 0; i < 4; ++i) {
        const auto r = -static_cast<std::int64_t>(i);
        difference[i] = weight(order, static_cast<std::int64_t>(kLanes) * r - static_cast<std::int64_t>(lane));
      }
      for (std::size_t m = 0; m < 4; ++m) {
        table[order][lane][m] = static_cast<std::uint64_t>(difference[0]);
        for (std::size_t i = 0; i + 1 < 4 - m; ++i) difference[i] -= difference[i + 1];
      }
    }
  }
  return table;
}
constexpr MergeTable kMerge = make_merge_table();

// Four words at a time, one to a lane: four independent chains of additions instead of one. The vectors are g++'s and
// clang's; without vector units they become plain integers. Returns the sums over the first size / 16 * 16 bytes.
Sums sums_in_lanes(const std::byte* data, std::size_t size) {
  using Words __attribute__((vector_size(16))) = std::uint32_t;
  using Lanes __attribute__((vector_size(32))) = std::uint64_t;
  Lanes a{}, b{}, c{}, d{};
  for (std::size_t at = 0; at + 16 <= size; at += 16) {
    Words words;
    std::memcpy(&words, data + at, sizeof words);
    a += __builtin_convertvector(words, Lanes);
    b += a;
    c += b;
    d += c;
  }
  Sums whole{};
  for (std::size_t order = 0; order < 4; ++order) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto& factor = kMerge[order][lane];
      whole[order] += factor[0] * a[lane] + factor[1] * b[lane] + factor[2] * c[lane] + factor[3] * d[lane];
    }
  }
  return whole;
}

}  // namespace

Sums fletcher4(ByteView bytes) {
  BLKPRESS_ASSERT(bytes.size() % 4 == 0);
  Sums sums{};
  std::size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    sums = sums_in_lanes(bytes.data(), bytes.size());
    at = bytes.size() / 16 * 16;
  }
  for (; at < bytes.size(); at += 4) add_word(sums, load_le<std::uint32_t>(bytes.data() + at));
  return sums;
}

}  // namespace blkpress
