#include <fmt/format.h>

#include <array>

#include "blkpress/sim/fio_statistics.hpp"

namespace blkpress::sim {

// Divided by 1000 or 1024 until the integer part has at most `digits` digits; decimals then fill what is left beside
// the point. One place left is no place for a point and a decimal, so the integer is rounded instead.
std::string fio_number(std::uint64_t number, std::size_t digits, bool binary, std::string_view unit) {
  constexpr std::array<std::string_view, 6> kDecimal = {"", "k", "M", "G", "T", "P"};
  constexpr std::array<std::string_view, 6> kBinary = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  const std::uint64_t step = binary ? 1024 : 1000;
  std::uint64_t remainder = 0;
  std::size_t power = 0;
  std::size_t width = fmt::formatted_size("{}", number);
  while (width > digits && power + 1 < kDecimal.size()) {
    remainder = number % step;
    number /= step;
    ++power;
    width = fmt::formatted_size("{}", number);
  }
  const std::string_view prefix = (binary ? kBinary : kDecimal)[power];
  if (power == 0) return fmt::format("{}{}", number, unit);
  if (width + 1 >= digits) return fmt::format("{}{}{}", number + (remainder >= step / 2 ? 1 : 0), prefix, unit);
  std::string decimals =
      fmt::format("{:.{}f}", static_cast<double>(remainder) / static_cast<double>(step), digits - width - 1);
  if (decimals[0] == '1') ++number;
  return fmt::format("{}{}{}{}", number, decimals.substr(1), prefix, unit);
}

}  // namespace blkpress::sim
