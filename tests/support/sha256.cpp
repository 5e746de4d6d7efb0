#include "support/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <fstream>

#include "blkpress/result.hpp"

namespace blkpress::test {
namespace {

struct Constants {
  std::array<std::uint32_t, 64> round;
  std::array<std::uint32_t, 8> initial;
};

// The first 32 bits of the fractions of the cube (square) roots of the first 64 (8) primes: FIPS 180-4, 4.2.2, 5.3.3.
Constants derive_constants() {
  Constants made{};
  const auto fraction = [](long double root) {
    return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
  };
  std::size_t found = 0;
  for (unsigned candidate = 2; found < 64; ++candidate) {
    bool prime = true;
    for (unsigned d = 2; d * d <= candidate; ++d) prime = prime && candidate % d != 0;
    if (!prime) continue;
    made.round[found] = fraction(std::cbrt(static_cast<long double>(candidate)));
    if (found < 8) made.initial[found] = fraction(std::sqrt(static_cast<long double>(candidate)));
    ++found;
  }
  return made;
}

const Constants& constants() {
  static const Constants instance = derive_constants();
  return instance;
}

using State = std::array<std::uint32_t, 8>;

void absorb(State& state, const std::byte* block) {
  using std::rotr;
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) w[i] = load_be<std::uint32_t>(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants().round[i] + w[i];
    const std::uint32_t s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const State round = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state[i] += round[i];
}

}  // namespace

std::string sha256(ByteView bytes) {
  State state = constants().initial;
  std::size_t at = 0;
  for (; at + 64 <= bytes.size(); at += 64) absorb(state, bytes.data() + at);
  std::array<std::byte, 128> tail{};
  const std::size_t rest = bytes.size() - at;
  for (std::size_t i = 0; i < rest; ++i) tail[i] = bytes[at + i];
  tail[rest] = std::byte{0x80};
  const std::size_t blocks = rest < 56 ? 1 : 2;
  store_be<std::uint64_t>(tail.data() + blocks * 64 - 8, bytes.size() * 8);
  for (std::size_t i = 0; i < blocks; ++i) absorb(state, tail.data() + i * 64);
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

std::string sha256(std::string_view text) { return sha256(as_bytes(text.data(), text.size())); }

std::map<std::string, std::string> read_sha256_list(const std::string& path) {
  std::ifstream file(path);
  BLKPRESS_ASSERT(file.good());
  std::map<std::string, std::string> hashes;
  std::string hash;
  std::string name;
  while (file >> hash >> name) hashes[name] = hash;
  return hashes;
}

}  // namespace blkpress::test
