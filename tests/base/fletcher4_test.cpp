#include "blkpress/fletcher4.hpp"

#include <array>
#include <vector>

#include "blkpress/random.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

// The definition, one word at a time.
std::array<std::uint64_t, 4> slow_fletcher4(ByteView bytes) {
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    a += load_le<std::uint32_t>(bytes.data() + at);
    b += a;
    c += b;
    d += c;
  }
  return {a, b, c, d};
}

}  // namespace

TEST_CASE("fletcher4: equals its definition for every length, and where the sums overflow") {
  Random random(1);
  std::vector<std::byte> bytes(300000);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  std::size_t wrong = 0;
  for (std::size_t words = 0; words < 200; ++words) {
    const ByteView part = ByteView(bytes).subspan(words % 7, words * 4);
    wrong += fletcher4(part) != slow_fletcher4(part);
  }
  wrong += fletcher4(bytes) != slow_fletcher4(bytes);
  const std::vector<std::byte> ones(1 << 20, std::byte{0xff});
  wrong += fletcher4(ones) != slow_fletcher4(ones);
  CHECK(wrong == 0);
}

TEST_CASE("fletcher4: closed form of n equal words") {
  // n words of 1: the sums are the binomials C(n,1), C(n+1,2), C(n+2,3), C(n+3,4).
  const std::uint64_t n = 1024;
  std::vector<std::byte> bytes(n * 4);
  for (std::size_t i = 0; i < n; ++i) store_le<std::uint32_t>(bytes.data() + 4 * i, 1);
  const std::array<std::uint64_t, 4> expected = {n, n * (n + 1) / 2, n * (n + 1) * (n + 2) / 6,
                                                 n * (n + 1) * (n + 2) / 6 * (n + 3) / 4};
  CHECK(fletcher4(bytes) == expected);
}
