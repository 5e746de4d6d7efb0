#include "blkpress/fio_random.hpp"

#include "blkpress/random.hpp"

namespace blkpress {
namespace {

constexpr int kWarmUp = 6;  // draws that fio throws away after seeding

// A linear map of 32-bit words over GF(2): column i is the image of bit i.
using BitMatrix = std::array<std::uint32_t, 32>;

std::uint32_t apply(const BitMatrix& matrix, std::uint32_t x) {
  std::uint32_t image = 0;
  for (std::size_t bit = 0; bit < 32; ++bit) {
    if ((x >> bit) & 1) image ^= matrix[bit];
  }
  return image;
}

BitMatrix squared(const BitMatrix& matrix) {
  BitMatrix product;
  for (std::size_t bit = 0; bit < 32; ++bit) product[bit] = apply(matrix, matrix[bit]);
  return product;
}

template <class Word, std::size_t n>
std::array<Word, n> seeded(Word seed, Word multiplier, const std::array<Word, n>& floors) {
  std::array<Word, n> state;
  Word previous = 53;
  for (std::size_t i = 0; i < n; ++i) {
    state[i] = static_cast<Word>(previous * multiplier) ^ seed;
    if (state[i] < floors[i]) state[i] += floors[i];  // each component has a few forbidden small states
    previous = state[i];
  }
  return state;
}

}  // namespace

FioRandom::FioRandom(std::uint64_t seed)
    : state_(seeded<std::uint32_t, 3>(static_cast<std::uint32_t>(seed), 69069U, {1, 7, 15})) {
  for (int i = 0; i < kWarmUp; ++i) next();
}

void FioRandom::skip(std::uint64_t count) {
  if (count < 512) {
    for (; count > 0; --count) next();
    return;
  }
  // A draw is linear in the state's bits, so 2^k draws are the k-th square of the matrix of one draw.
  std::array<BitMatrix, 3> step;
  for (std::size_t bit = 0; bit < 32; ++bit) {
    FioRandom probe = *this;
    probe.state_.fill(std::uint32_t{1} << bit);
    probe.next();
    for (std::size_t word = 0; word < 3; ++word) step[word][bit] = probe.state_[word];
  }
  for (; count > 0; count >>= 1) {
    for (std::size_t word = 0; word < 3; ++word) {
      if (count & 1) state_[word] = apply(step[word], state_[word]);
      step[word] = squared(step[word]);
    }
  }
}

FioRandom64::FioRandom64(std::uint64_t seed)
    : state_(seeded<std::uint64_t, 5>(seed, 6906969069ULL, {1, 7, 15, 33, 49})) {
  for (int i = 0; i < kWarmUp; ++i) next();
}

std::uint64_t FioRandom64::next() {
  const auto step = [](std::uint64_t x, int p, int q, std::uint64_t forbidden, int d) {
    return ((x & ~forbidden) << d) ^ (((x << p) ^ x) >> q);
  };
  state_ = {step(state_[0], 1, 53, 0x1, 10), step(state_[1], 24, 50, 0x1ff, 5), step(state_[2], 3, 23, 0xfff, 29),
            step(state_[3], 5, 24, 0x1ffff, 23), step(state_[4], 3, 33, 0x7fffff, 8)};
  return state_[0] ^ state_[1] ^ state_[2] ^ state_[3] ^ state_[4];
}

FioSeeds::FioSeeds(const FioSeeding& seeding) {
  constexpr std::uint64_t kPrime = 0x9e370001;
  constexpr std::uint64_t kRepeatable = 0xb1899bed;
  constexpr std::uint64_t kDefaultRandseed = 0x89;
  const std::uint64_t job = seeding.job;
  std::uint64_t x = seeding.randseed.value_or(kDefaultRandseed) * kPrime * kPrime * kPrime * kPrime;
  for (std::size_t i = 0; i < seeds_.size(); ++i, x *= kPrime) {
    if (seeding.allrandrepeat) {
      seeds_[i] = kRepeatable * job + i;
    } else if (seeding.randrepeat || seeding.randseed) {
      seeds_[i] = x * job + i;
    } else {
      seeds_[i] = mix64(mix64(seeding.entropy) ^ mix64((job << 8) + i));
    }
  }
  if (seeding.randrepeat) seeds_[static_cast<std::size_t>(FioStream::offset)] = kRepeatable * job;
}

}  // namespace blkpress
