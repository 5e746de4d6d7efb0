// Random times and their mathematics, the same to the last bit on every machine and compiler.
//
// The standard library's distributions and its log and exp may differ from one system to the next, so these are our
// own: only additions, multiplications, divisions and square roots, which IEEE 754 rounds in one way (the build forbids
// contraction). Threads: pure functions; a Random belongs to one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "blkpress/random.hpp"
#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

// Natural logarithm of x > 0, finite. Relative error below 4e-16; near 1, relative to x - 1.
double log_of(double x);

// e to the x, for |x| <= 700. Relative error below 5e-16.
double exp_of(double x);

// Mean 0, standard deviation 1. Takes two numbers or more from random.
double draw_normal(Random& random);

// Mean 1. Takes one number; at most 36.8.
double draw_exponential(Random& random);

// Uniform in [low, high], to the nanosecond. low <= high.
Duration draw_uniform(Random& random, Duration low, Duration high);

// An exponentially distributed time of that mean, rounded to the nearest nanosecond.
Duration draw_exponential(Random& random, Duration mean);

// A mixture of uniform distributions, in nanoseconds: cheap, and the same on every machine.
struct UniformMixture {
  struct Part {
    std::int64_t low_ns;
    std::int64_t high_ns;  // >= low_ns
    double probability;    // all of them sum to 1
  };
  std::vector<Part> parts;  // empty: always zero
  [[nodiscard]] Duration draw(Random& random) const;
};

// A distribution given by its quantiles, linear in between; in nanoseconds.
struct QuantileTable {
  struct Point {
    double quantile;  // 0 to 1, rising; the first is 0, the last is 1
    std::int64_t ns;  // not falling
  };
  std::vector<Point> points;  // empty: always zero; else two or more
  [[nodiscard]] Duration draw(Random& random) const;
};

}  // namespace blkpress::sim
