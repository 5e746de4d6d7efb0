#include "blkpress/sim/distribution.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

TEST_CASE("distribution: the logarithm agrees with the library's to 4e-16") {
  Random random(1);
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = std::ldexp(0.5 + random.uniform() / 2, static_cast<int>(random.below(2000)) - 1000);
    const double expected = std::log(x);
    if (std::abs(expected) > 1e-3) worst = std::max(worst, std::abs(log_of(x) - expected) / std::abs(expected));
  }
  CHECK(worst < 4e-16);
  for (int i = 0; i < 100'000; ++i) {
    const double x = 1 + (random.uniform() - 0.5) / 256;
    if (x != 1) worst = std::max(worst, std::abs(log_of(x) - std::log(x)) / std::abs(x - 1));
  }
  CHECK(worst < 4e-16);
  CHECK(log_of(1) == 0);
  CHECK(log_of(5e-324) == Approx(std::log(5e-324)).epsilon(1e-15));
}

TEST_CASE("distribution: the exponential function agrees with the library's to 5e-16") {
  Random random(2);
  double worst = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double x = (random.uniform() - 0.5) * (i % 2 == 0 ? 1400.0 : 2.0);
    worst = std::max(worst, std::abs(exp_of(x) / std::exp(x) - 1));
  }
  CHECK(worst < 5e-16);
  CHECK(exp_of(0) == 1);
}

// Kolmogorov and Smirnov: the largest distance of the empirical from the true distribution, times sqrt(n), is
// above 1.95 in one of a thousand cases.
template <class Cdf>
double kolmogorov(std::vector<double> values, Cdf cdf) {
  std::sort(values.begin(), values.end());
  double worst = 0;
  const auto n = static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = cdf(values[i]);
    worst = std::max({worst, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  return worst * std::sqrt(n);
}

TEST_CASE("distribution: normal draws follow the normal distribution") {
  Random random(3);
  std::vector<double> values(1'000'000);
  for (double& value : values) value = draw_normal(random);
  CHECK(kolmogorov(values, [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }) < 1.95);
}

TEST_CASE("distribution: exponential draws follow the exponential distribution") {
  Random random(4);
  std::vector<double> values(1'000'000);
  for (double& value : values) value = draw_exponential(random);
  CHECK(kolmogorov(values, [](double x) { return -std::expm1(-x); }) < 1.95);
}

TEST_CASE("distribution: uniform durations reach both ends and nothing beyond") {
  Random random(5);
  std::vector<int> seen(4);
  for (int i = 0; i < 1000; ++i) {
    const Duration d = draw_uniform(random, nanoseconds(10), nanoseconds(13));
    REQUIRE(d >= nanoseconds(10));
    REQUIRE(d <= nanoseconds(13));
    ++seen[static_cast<std::size_t>(d.ns - 10)];
  }
  CHECK(*std::min_element(seen.begin(), seen.end()) > 200);
}
