#include "blkpress/vdev.hpp"

#include <fmt/format.h>

#include <charconv>

#include "blkpress/bytes.hpp"

namespace blkpress {
namespace {

Error not_a_vdev(std::string_view text) {
  return {ErrorKind::usage,
          fmt::format("vdev '{}' is not one of: file | mirror:N | raidz1:N | raidz2:N | raidz3:N", text)};
}

constexpr int kMaxChildren = 255;  // OpenZFS, include/sys/vdev_raidz.h: VDEV_RAIDZ_MAXPARITY and a byte of columns

}  // namespace

Result<VdevGeometry> VdevGeometry::parse(std::string_view text, int ashift) {
  if (ashift < 9 || ashift > 16) {
    return Error{ErrorKind::usage, fmt::format("ashift {} is not between 9 and 16", ashift)};
  }
  VdevGeometry vdev{.ashift = ashift};
  if (text == "file" || text == "disk" || text == "single") return vdev;

  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return not_a_vdev(text);
  const std::string_view kind = text.substr(0, colon);
  const std::string_view count = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), vdev.children);
  if (error != std::errc() || end != count.data() + count.size()) return not_a_vdev(text);
  if (kind == "mirror") {
    vdev.kind = VdevKind::mirror;
  } else if (kind == "raidz" || kind == "raidz1" || kind == "raidz2" || kind == "raidz3") {
    vdev.kind = VdevKind::raidz;
    vdev.parity = kind == "raidz" ? 1 : kind.back() - '0';
  } else {
    return not_a_vdev(text);
  }
  const int least = vdev.parity + (vdev.kind == VdevKind::raidz ? 1 : 2);
  if (vdev.children < least || vdev.children > kMaxChildren) {
    return Error{ErrorKind::usage, fmt::format("vdev '{}' has {} children; {} takes {} to {}", text, vdev.children,
                                               kind, least, kMaxChildren)};
  }
  return vdev;
}

std::string VdevGeometry::to_string() const {
  switch (kind) {
    case VdevKind::single:
      return "file";
    case VdevKind::mirror:
      return fmt::format("mirror:{}", children);
    case VdevKind::raidz:
      return fmt::format("raidz{}:{}", parity, children);
  }
  return {};
}

// OpenZFS, module/zfs/vdev_raidz.c:vdev_raidz_psize_to_asize: a row of n - p data sectors has p parity sectors, and an
// allocation is a multiple of p + 1 sectors so that no gap is ever too small to be used.
VdevGeometry::Sectors VdevGeometry::sectors(std::uint64_t psize) const {
  Sectors count;
  count.data = (psize + sector_bytes() - 1) >> ashift;
  if (kind != VdevKind::raidz) return count;
  const auto p = static_cast<std::uint64_t>(parity);
  const auto columns = static_cast<std::uint64_t>(children) - p;
  count.parity = p * ((count.data + columns - 1) / columns);
  const std::uint64_t used = count.data + count.parity;
  count.skip = round_up(used, p + 1) - used;
  return count;
}

std::uint64_t VdevGeometry::asize(std::uint64_t psize) const {
  const Sectors count = sectors(psize);
  return (count.data + count.parity + count.skip) << ashift;
}

// OpenZFS, module/zfs/vdev.c:vdev_set_deflate_ratio: what a 128 KiB block takes, in units of 512 bytes.
std::uint64_t VdevGeometry::deflate_ratio() const { return 128 * kKiB / (asize(128 * kKiB) >> 9); }

}  // namespace blkpress
