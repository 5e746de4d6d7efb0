#include "blkpress/size_format.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace blkpress {
namespace {

constexpr std::string_view kUnits = "BKMGTPE";

// num / 2^shift with that many decimals, rounded to nearest, ties to even, as printf rounds the exact value.
std::string decimal(std::uint64_t num, int shift, int decimals) {
  __extension__ using Wide = unsigned __int128;
  const unsigned scale = decimals == 2 ? 100 : decimals == 1 ? 10 : 1;
  const Wide scaled = static_cast<Wide>(num) * scale;
  auto quotient = static_cast<std::uint64_t>(scaled >> shift);
  const Wide rest = scaled - (static_cast<Wide>(quotient) << shift);
  const Wide half = static_cast<Wide>(1) << (shift - 1);
  if (rest > half || (rest == half && (quotient & 1) != 0)) ++quotient;
  if (decimals == 0) return fmt::format("{}", quotient);
  return fmt::format("{}.{:0{}}", quotient / scale, quotient % scale, decimals);
}

}  // namespace

// OpenZFS, lib/libzutil/zutil_nicenum.c:zfs_nicenum_format.
std::string format_size(std::uint64_t bytes, SizeUnit unit) {
  int index = 0;
  for (std::uint64_t whole = bytes; whole >= 1024; whole /= 1024) ++index;
  if (index == 0) return fmt::format("{}{}", bytes, unit == SizeUnit::with_b ? "B" : "");

  const int shift = 10 * index;
  const char letter = kUnits[static_cast<std::size_t>(index)];
  if ((bytes & ((std::uint64_t{1} << shift) - 1)) == 0) return fmt::format("{}{}", bytes >> shift, letter);
  // The first that fits into five characters; without decimals it is taken however long: 1048575 prints as 1024K.
  for (const int decimals : {2, 1}) {
    std::string text = decimal(bytes, shift, decimals) + letter;
    if (text.size() <= 5) return text;
  }
  return decimal(bytes, shift, 0) + letter;
}

std::string format_ratio(std::uint64_t ratio_x100, bool parsable) {
  return fmt::format("{}.{:02}{}", ratio_x100 / 100, ratio_x100 % 100, parsable ? "" : "x");
}

namespace {

Error not_a_size(std::string_view text) {
  return {ErrorKind::usage,
          fmt::format("size '{}' is not a whole number of bytes below 2^64, such as 131072, 128K or 1.5M", text)};
}

// Powers of 1024 of a unit as typed: "", "B", "K", "KB", "KiB", any case. -1: unknown.
int unit_index(std::string_view unit) {
  if (unit.empty()) return 0;
  const auto upper = [](char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); };
  const std::size_t index = kUnits.find(upper(unit[0]));
  if (index == std::string_view::npos) return -1;
  const std::string_view rest = unit.substr(1);
  const bool plain = rest.empty();
  const bool with_b = index > 0 && rest.size() == 1 && upper(rest[0]) == 'B';
  const bool with_ib = index > 0 && rest.size() == 2 && upper(rest[0]) == 'I' && upper(rest[1]) == 'B';
  return plain || with_b || with_ib ? static_cast<int>(index) : -1;
}

}  // namespace

Result<std::uint64_t> parse_size(std::string_view text) {
  __extension__ using Wide = unsigned __int128;
  // 20 digits on either side of the point, times 2^60, stay below 2^128.
  Wide digits = 0;
  Wide divisor = 1;
  std::size_t at = 0;
  std::size_t count = 0;
  bool fraction = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !fraction) {
      fraction = true;
    } else if (c >= '0' && c <= '9') {
      if (++count > 20) return not_a_size(text);
      digits = digits * 10 + static_cast<unsigned>(c - '0');
      if (fraction) divisor *= 10;
    } else {
      break;
    }
  }
  const int index = unit_index(text.substr(at));
  if (count == 0 || index < 0 || (fraction && divisor == 1)) return not_a_size(text);
  if (digits >> (127 - 10 * index) != 0) return not_a_size(text);
  const Wide scaled = digits << (10 * index);
  if (scaled % divisor != 0 || (scaled / divisor) >> 64 != 0) return not_a_size(text);
  return static_cast<std::uint64_t>(scaled / divisor);
}

}  // namespace blkpress
