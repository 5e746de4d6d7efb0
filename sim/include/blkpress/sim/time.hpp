// Virtual time: integer nanoseconds, never a wall clock, never a floating-point number.
//
// Threads: values.
#pragma once

#include <compare>
#include <cstdint>

namespace blkpress::sim {

namespace detail {
// Sums and products stop at the ends of the range: hostile input makes a simulation long, never undefined.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}
constexpr std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX) : product;
}
}  // namespace detail

// A span of virtual time. Negative spans are allowed in arithmetic, not as a delay.
struct Duration {
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return {detail::saturating_add(a.ns, b.ns)}; }
  friend constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
  friend constexpr Duration operator*(Duration a, std::int64_t n) { return {detail::saturating_multiply(a.ns, n)}; }
  friend constexpr Duration operator/(Duration a, std::int64_t n) { return {a.ns / n}; }
  constexpr Duration& operator+=(Duration b) { return *this = *this + b; }
};

// A point of virtual time, counted from the start of the simulation.
struct Instant {
  std::int64_t ns = 0;

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant a, Duration b) { return {detail::saturating_add(a.ns, b.ns)}; }
  friend constexpr Duration operator-(Instant a, Instant b) { return {a.ns - b.ns}; }
};

constexpr Duration nanoseconds(std::int64_t n) { return {n}; }
constexpr Duration microseconds(std::int64_t n) { return {n * 1000}; }
constexpr Duration milliseconds(std::int64_t n) { return {n * 1000 * 1000}; }
constexpr Duration seconds(std::int64_t n) { return {n * 1000 * 1000 * 1000}; }

// The nearest nanosecond to a quantity in seconds; ties away from zero. Only multiplication and a conversion, so that
// every compiler gives the same.
constexpr Duration duration_of(double in_seconds) {
  const double ns = in_seconds * 1e9;
  if (!(ns > -9e18)) return {INT64_MIN};  // also what is no number
  if (ns > 9e18) return {INT64_MAX};
  return {static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5)};
}
constexpr double in_seconds(Duration d) { return static_cast<double>(d.ns) / 1e9; }

}  // namespace blkpress::sim
