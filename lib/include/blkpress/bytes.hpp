// Views of memory, little- and big-endian access, and the units of sizes.
//
// Threads: pure functions and values.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace blkpress {

using ByteView = std::span<const std::byte>;  // somebody else's bytes, read only
using ByteSpan = std::span<std::byte>;        // somebody else's bytes, to be written

// A count of one unit; counts of different units do not mix. value is public so that arithmetic with other quantities
// is written out where it happens.
template <class Unit>
struct Quantity {
  std::uint64_t value = 0;

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
  friend constexpr Quantity operator*(Quantity a, std::uint64_t n) { return {a.value * n}; }
  constexpr Quantity& operator+=(Quantity b) { return value += b.value, *this; }
  constexpr Quantity& operator-=(Quantity b) { return value -= b.value, *this; }
};

using Bytes = Quantity<struct BytesUnit>;
using Sectors = Quantity<struct SectorsUnit>;  // of 2^ashift bytes

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;
inline constexpr std::uint64_t kTiB = 1024 * kGiB;

// value rounded up to a multiple of unit; unit > 0.
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }
constexpr bool is_power_of_two(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

// Unaligned integers in a fixed byte order. The pointer must have sizeof(T) bytes behind it.
template <class T>
T load_le(const std::byte* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(from[i]) << (8 * i));
  return value;
}
template <class T>
void store_le(std::byte* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
}
template <class T>
T load_be(const std::byte* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>((value << 8) | static_cast<T>(from[i]));
  return value;
}
template <class T>
void store_be(std::byte* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<std::byte>(value >> (8 * (sizeof(T) - 1 - i)));
}

inline ByteView as_bytes(const void* data, std::size_t size) { return {static_cast<const std::byte*>(data), size}; }

// True when every byte is zero; what OpenZFS calls a hole. Empty: true.
bool all_zero(ByteView bytes);

}  // namespace blkpress
