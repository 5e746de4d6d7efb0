#include "blkpress/sim/distribution.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "blkpress/result.hpp"

namespace blkpress::sim {

namespace {

// ln 2 in two parts: multiples of the first by an exponent are exact, for its last 20 bits are zero.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
constexpr int kBias = 1023;

}  // namespace

// x = m 2^e with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh(s), s = (m - 1) / (m + 1), as its series in s. |s| < 0.172,
// so the first term left out, s^23 / 23, is below 1e-17 of s.
double log_of(double x) {
  BLKPRESS_ASSERT(x > 0 && x <= 0x1.fffffffffffffp+1023);
  int exponent = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    exponent = -54;
  }
  const auto bits = std::bit_cast<std::uint64_t>(x);
  exponent += static_cast<int>(bits >> 52) - kBias;
  double m = std::bit_cast<double>((bits & kMantissa) | (std::uint64_t{kBias} << 52));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  const double f = m - 1;
  const double s = f / (2 + f);
  const double square = s * s;
  double series = 0;
  for (int k = 21; k >= 3; k -= 2) series = (series + 1.0 / k) * square;
  // ln m = f - s (f - 2 series): the large part, f, is exact.
  const double fraction = f - s * (f - 2 * series);
  return exponent * kLn2High + (fraction + exponent * kLn2Low);
}

// x = k ln 2 + r with |r| <= ln 2 / 2; e^r by its series, of which the first term left out, r^14 / 14!, is below 1e-17.
double exp_of(double x) {
  BLKPRESS_ASSERT(x >= -700 && x <= 700);
  const double scaled = x * 1.4426950408889634;  // 1 / ln 2
  const auto k = static_cast<int>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double series = 0;
  for (int i = 13; i >= 2; --i) series = (series + 1) * (r / i);
  // series = r/2 (1 + r/3 (1 + …)), so e^r = 1 + r (1 + series).
  const double power = 1 + (r + r * series);
  return power * std::bit_cast<double>(static_cast<std::uint64_t>(k + kBias) << 52);
}

// The polar method (Marsaglia and Bray 1964); its second number is dropped, so that a draw leaves no state behind.
double draw_normal(Random& random) {
  while (true) {
    const double u = 2 * random.uniform() - 1;
    const double v = 2 * random.uniform() - 1;
    const double s = u * u + v * v;
    if (s >= 1 || s == 0) continue;
    return u * std::sqrt(-2 * log_of(s) / s);
  }
}

double draw_exponential(Random& random) { return -log_of(1 - random.uniform()); }

Duration draw_uniform(Random& random, Duration low, Duration high) {
  BLKPRESS_ASSERT(low <= high);
  return low + Duration{static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>((high - low).ns) + 1))};
}

Duration draw_exponential(Random& random, Duration mean) {
  return {static_cast<std::int64_t>(draw_exponential(random) * static_cast<double>(mean.ns) + 0.5)};
}

Duration UniformMixture::draw(Random& random) const {
  if (parts.empty()) return {};
  double u = random.uniform();
  std::size_t chosen = 0;
  while (chosen + 1 < parts.size() && u >= parts[chosen].probability) u -= parts[chosen++].probability;
  const Part& part = parts[chosen];
  const auto width = static_cast<std::uint64_t>(part.high_ns - part.low_ns + 1);
  return {part.low_ns + static_cast<std::int64_t>(random.below(width))};
}

Duration QuantileTable::draw(Random& random) const {
  if (points.empty()) return {};
  const double u = random.uniform();
  std::size_t i = 1;
  while (i + 1 < points.size() && u > points[i].quantile) ++i;
  const Point& low = points[i - 1];
  const Point& high = points[i];
  const double share = (u - low.quantile) / (high.quantile - low.quantile);
  return {low.ns + static_cast<std::int64_t>(share * static_cast<double>(high.ns - low.ns))};
}

}  // namespace blkpress::sim
