// Digest: a fingerprint of what a simulation did, equal on every machine and compiler.
//
// FNV-1a over 64-bit words followed by a mix (SplitMix64's finaliser): it detects difference, it does not resist
// attack. Threads: a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "blkpress/random.hpp"

namespace blkpress::sim {

class Digest {
 public:
  void add(std::uint64_t word) { state_ = mix64((state_ ^ word) * 0x100000001b3ULL); }
  void add(std::string_view text) {
    add(text.size());
    for (char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }
  // 16 hexadecimal digits.
  [[nodiscard]] std::string to_string() const;

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace blkpress::sim
