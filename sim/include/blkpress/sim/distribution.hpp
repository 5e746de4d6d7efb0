// Random times and their mathematics, the same to the last bit on every machine and compiler.
//
// The standard library's distributions and its log and exp may differ from one system to the next, so these are our
// own: only additions, multiplications, divisions and square roots, which IEEE 754 rounds in one way (the build forbids
// contraction). Threads: pure functions; a Random belongs to one thread.
#pragma once

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

}  // namespace blkpress::sim
