#include "blkpress/fletcher4.hpp"

#include <bit>

#include "blkpress/result.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kLanes = 8;
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

// Two vectors of four words at a time, a word to a lane: independent chains of additions instead of one. The vectors
// are g++'s and clang's; without vector units they become plain integers. Returns the sums over whole groups of kLanes
// words.
[[gnu::always_inline]] inline Sums sums_in_lanes(const std::byte* data, std::size_t size) {
  using Words __attribute__((vector_size(16))) = std::uint32_t;
  using Four __attribute__((vector_size(32))) = std::uint64_t;
  static_assert(kLanes == 8);
  Four a[2] = {}, b[2] = {}, c[2] = {}, d[2] = {};
  for (std::size_t at = 0; at + 4 * kLanes <= size; at += 4 * kLanes) {
    for (std::size_t half = 0; half < 2; ++half) {
      Words words;
      std::memcpy(&words, data + at + 16 * half, sizeof words);
      a[half] += __builtin_convertvector(words, Four);
      b[half] += a[half];
      c[half] += b[half];
      d[half] += c[half];
    }
  }
  Sums whole{};
  for (std::size_t order = 0; order < 4; ++order) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto& factor = kMerge[order][lane];
      const std::size_t half = lane / 4;
      const std::size_t in_half = lane % 4;
      whole[order] += factor[0] * a[half][in_half] + factor[1] * b[half][in_half] + factor[2] * c[half][in_half] +
                      factor[3] * d[half][in_half];
    }
  }
  return whole;
}

#if defined(__x86_64__)
// The same code with the wider vectors of most x86 processors since 2013; the sums are the same.
__attribute__((target("avx2"))) Sums sums_avx2(const std::byte* data, std::size_t size) {
  return sums_in_lanes(data, size);
}
Sums sums_fastest(const std::byte* data, std::size_t size) {
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return has_avx2 ? sums_avx2(data, size) : sums_in_lanes(data, size);
}
#else
Sums sums_fastest(const std::byte* data, std::size_t size) { return sums_in_lanes(data, size); }
#endif

}  // namespace

Sums fletcher4(ByteView bytes) {
  BLKPRESS_ASSERT(bytes.size() % 4 == 0);
  Sums sums{};
  std::size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    sums = sums_fastest(bytes.data(), bytes.size());
    at = bytes.size() / (4 * kLanes) * (4 * kLanes);
  }
  for (; at < bytes.size(); at += 4) add_word(sums, load_le<std::uint32_t>(bytes.data() + at));
  return sums;
}

}  // namespace blkpress
