// What the shape of a ZFS virtual device does to sizes: sectors, parity, padding, deflation.
//
// Threads: values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "blkpress/result.hpp"

namespace blkpress {

enum class VdevKind : std::uint8_t { single, mirror, raidz };  // single: a disk or a file

// One top-level vdev; a pool of several like ones behaves the same.
struct VdevGeometry {
  VdevKind kind = VdevKind::single;
  int children = 1;
  int parity = 0;   // raidz: 1, 2 or 3
  int ashift = 12;  // sectors of 2^ashift bytes, 9 to 16

  // "file" (also "disk", "single"), "mirror:2", "raidz1:3", "raidz2:6", "raidz3:8". Errors: usage, naming what is
  // wrong: an unknown kind, too few children, an ashift outside 9 to 16.
  static Result<VdevGeometry> parse(std::string_view text, int ashift = 12);
  // The inverse of parse, without the ashift.
  [[nodiscard]] std::string to_string() const;

  [[nodiscard]] std::uint64_t sector_bytes() const { return std::uint64_t{1} << ashift; }

  // How one copy of psize > 0 bytes is laid out, in sectors; parity and skip are 0 except on raidz.
  struct Sectors {
    std::uint64_t data = 0;
    std::uint64_t parity = 0;
    std::uint64_t skip = 0;
  };
  [[nodiscard]] Sectors sectors(std::uint64_t psize) const;

  // Bytes allocated for one copy. A mirror's second side is not counted, raidz parity is: as OpenZFS's asize.
  [[nodiscard]] std::uint64_t asize(std::uint64_t psize) const;

  // What 512 allocated bytes count as in `used`: 512, less on raidz so that 128 KiB blocks count as about 128 KiB.
  [[nodiscard]] std::uint64_t deflate_ratio() const;
  // asize as `used` counts it.
  [[nodiscard]] std::uint64_t deflated(std::uint64_t asize) const { return (asize >> 9) * deflate_ratio(); }

  friend bool operator==(const VdevGeometry&, const VdevGeometry&) = default;
};

}  // namespace blkpress
