// Sizes and ratios as `zfs list` and `zfs get` print them, and sizes as `zfs set` reads them.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "blkpress/result.hpp"

namespace blkpress {

// How a whole number of bytes below 1024 prints.
enum class SizeUnit : std::uint8_t {
  bare,   // "512", "0": logicalused, volsize, recordsize; every size before OpenZFS 0.7 and with pools of v13 to v28
  with_b  // "512B", "0B": used, referenced, available, quota since OpenZFS 0.7
};

// "96K", "5.60M", "10.0K", "1024K": at most five characters where OpenZFS keeps to that. bytes: any value.
std::string format_size(std::uint64_t bytes, SizeUnit unit = SizeUnit::with_b);

// "1.45x" from 145. parsable (zfs get -p): "1.45".
std::string format_ratio(std::uint64_t ratio_x100, bool parsable = false);

// "131072", "128K", "128k", "128KB", "128KiB", "1.5M": a number with an optional binary unit B K M G T P E. Errors:
// usage: not a number, an unknown unit, not a whole number of bytes, 2^64 or more.
Result<std::uint64_t> parse_size(std::string_view text);

}  // namespace blkpress
