#include "content/fio_distribution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace blkpress {
namespace {

constexpr std::uint64_t kGolden64 = 0x61C8864680B583EB;  // spreads neighbouring ranks over the file
constexpr std::uint64_t kMaxZetaTerms = 10'000'000;

double zeta(std::uint64_t blocks, double theta) {
  double sum = 0;  // ascending, as fio sums: the order decides the last digits
  for (std::uint64_t i = 1; i <= std::min(blocks, kMaxZetaTerms); ++i)
    sum += std::pow(1.0 / static_cast<double>(i), theta);
  return sum;
}

std::optional<double> centre_of(const FioDistribution& distribution) {
  if (const auto* zipf = std::get_if<FioZipf>(&distribution)) return zipf->centre;
  if (const auto* pareto = std::get_if<FioPareto>(&distribution)) return pareto->centre;
  if (const auto* normal = std::get_if<FioNormal>(&distribution)) return normal->centre;
  return {};
}

}  // namespace

// Jenkins' lookup3 (public domain, 2006), but fio adds single bytes where lookup3 adds words.
std::uint32_t fio_hash_name(std::string_view name) {
  using std::rotl;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(name[i])); };
  std::uint32_t a = 0x61C88647 + static_cast<std::uint32_t>(name.size());
  std::uint32_t b = a;
  std::uint32_t c = a;
  for (; name.size() > 12; name.remove_prefix(12)) {
    a += byte(0);
    b += byte(4);
    c += byte(8);
    const auto mix = [](std::uint32_t& x, std::uint32_t& y, std::uint32_t z, int turn) {
      x = (x - y) ^ rotl(y, turn);
      y += z;
    };
    mix(a, c, b, 4);
    mix(b, a, c, 6);
    mix(c, b, a, 8);
    mix(a, c, b, 16);
    mix(b, a, c, 19);
    mix(c, b, a, 4);
  }
  if (name.empty()) return c;
  std::uint32_t* const words[] = {&a, &b, &c};
  for (std::size_t i = 0; i < name.size(); ++i) *words[i / 4] += byte(i) << (8 * (i % 4));
  c = (c ^ b) - rotl(b, 14);
  a = (a ^ c) - rotl(c, 11);
  b = (b ^ a) - rotl(a, 25);
  c = (c ^ b) - rotl(b, 16);
  a = (a ^ c) - rotl(c, 4);
  b = (b ^ a) - rotl(a, 14);
  c = (c ^ b) - rotl(b, 24);
  return c;
}

FioSkewedBlocks::FioSkewedBlocks(const FioDistribution& distribution, std::uint64_t blocks, std::uint64_t seed)
    : distribution_(distribution), blocks_(blocks), random_(seed) {
  const std::optional<double> centre = centre_of(distribution);
  const auto size = static_cast<double>(blocks);
  if (std::holds_alternative<FioNormal>(distribution)) {
    if (centre) rotation_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(size * (*centre - 0.5)));
    return;
  }
  rotation_ = random_.next();
  if (centre) rotation_ = static_cast<std::uint64_t>(size * *centre);
  if (const auto* zipf = std::get_if<FioZipf>(&distribution)) zeta_ = zeta(blocks, zipf->theta);
}

double FioSkewedBlocks::unit() { return static_cast<double>(random_.next()) / 4294967295.0; }

std::uint64_t FioSkewedBlocks::next() {
  std::uint64_t rank = 0;
  if (const auto* zipf = std::get_if<FioZipf>(&distribution_)) rank = next_zipf(zipf->theta);
  if (const auto* pareto = std::get_if<FioPareto>(&distribution_)) rank = next_pareto(pareto->power);
  if (const auto* normal = std::get_if<FioNormal>(&distribution_)) rank = next_normal(normal->deviation_percent);
  return (rank * kGolden64 + rotation_) % blocks_;
}

// Gray et al., "Quickly generating billion-record synthetic databases", 1994.
std::uint64_t FioSkewedBlocks::next_zipf(double theta) {
  const auto size = static_cast<double>(blocks_);
  const double two_terms = 1.0 + std::pow(0.5, theta);
  const double alpha = 1.0 / (1.0 - theta);
  const double eta = (1.0 - std::pow(2.0 / size, 1.0 - theta)) / (1.0 - two_terms / zeta_);
  const double u = unit();
  if (u * zeta_ < 1.0) return 0;
  if (u * zeta_ < two_terms) return 1;
  return static_cast<std::uint64_t>(size * std::pow(eta * u - eta + 1.0, alpha));
}

std::uint64_t FioSkewedBlocks::next_pareto(double power) {
  const double exponent = std::log(power) / std::log(1.0 - power);
  return static_cast<std::uint64_t>(static_cast<double>(blocks_ - 1) * std::pow(unit(), exponent));
}

std::uint64_t FioSkewedBlocks::next_normal(double deviation_percent) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random_.next() % (blocks_ + 1));
  auto rank = static_cast<std::uint64_t>(std::ceil(sum / 12.0));
  const auto deviation = std::min(
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(blocks_) * deviation_percent / 100.0)), blocks_ / 2);
  if (deviation > 0) {
    const double r = static_cast<double>(random_.next());
    auto shift = static_cast<std::int64_t>(static_cast<double>(deviation) * r / 4294967296.0) -
                 static_cast<std::int64_t>(deviation / 2);
    while (rank + static_cast<std::uint64_t>(shift) >= blocks_ && shift != 0) shift /= 2;
    rank += static_cast<std::uint64_t>(shift);
  }
  return rank;
}

namespace {

// Tap positions of maximal registers of 3 to 48 bits (Xilinx XAPP052).
constexpr unsigned char kTaps[][6] = {
    {3, 2},           {4, 3},           {5, 3},           {6, 5},           {7, 6},
    {8, 6, 5, 4},     {9, 5},           {10, 7},          {11, 9},          {12, 6, 4, 1},
    {13, 4, 3, 1},    {14, 5, 3, 1},    {15, 14},         {16, 15, 13, 4},  {17, 14},
    {18, 11},         {19, 6, 2, 1},    {20, 17},         {21, 19},         {22, 21},
    {23, 18},         {24, 23, 22, 17}, {25, 22},         {26, 6, 2, 1},    {27, 5, 2, 1},
    {28, 25},         {29, 27},         {30, 6, 4, 1},    {31, 28},         {32, 31, 29, 1},
    {33, 20},         {34, 27, 2, 1},   {35, 33},         {36, 25},         {37, 5, 4, 3, 2, 1},
    {38, 6, 5, 1},    {39, 35},         {40, 38, 21, 19}, {41, 38},         {42, 41, 20, 19},
    {43, 42, 38, 37}, {44, 43, 18, 17}, {45, 44, 42, 41}, {46, 45, 26, 25}, {47, 42},
    {48, 47, 21, 20},
};

}  // namespace

FioLfsr::FioLfsr(std::uint64_t blocks, std::uint64_t seed) : blocks_(blocks) {
  while ((std::uint64_t{1} << width_) <= blocks) ++width_;
  for (const unsigned char tap : kTaps[width_ - 3]) {
    if (tap != 0) taps_ |= std::uint64_t{1} << (tap - 1);
  }
  const std::uint64_t ones = (std::uint64_t{1} << width_) - 1;
  state_ = seed & ones;
  if (state_ == ones) state_ = 0;  // the one state that never leaves itself
  step();                          // fio takes one before the first I/O, whether or not it lands on a block
}

void FioLfsr::step() {
  const bool even = (state_ & 1) == 0;
  state_ = (state_ >> 1) | (std::uint64_t{1} << (width_ - 1));
  if (even) state_ ^= taps_;
}

std::uint64_t FioLfsr::next() {
  do {
    step();
  } while (state_ >= blocks_);
  return state_;
}

}  // namespace blkpress
