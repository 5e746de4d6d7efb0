#include "workload/fio_job_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace blkpress::sim {
namespace {

template <class... Args>
Error usage(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorKind::usage, fmt::format(text, std::forward<Args>(args)...)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

struct Number {
  std::uint64_t value;
  std::string unit;  // what follows the digits, in lower case
};

Result<Number> parse_number(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range) return usage("'{}' is above 2^64 - 1", shown(text));
  if (error != std::errc()) return usage("'{}' is not a number", shown(text));
  return Number{value, lower({end, static_cast<std::size_t>(digits.data() + digits.size() - end)})};
}

Result<std::uint64_t> scaled(std::uint64_t value, std::uint64_t factor, std::string_view text) {
  if (value > std::numeric_limits<std::uint64_t>::max() / factor) return usage("'{}' is above 2^64 - 1", shown(text));
  return value * factor;
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// In the order written; an odd count of digits gets a leading zero.
Result<std::vector<std::byte>> parse_hex_pattern(std::string_view digits) {
  std::string padded(digits.size() % 2, '0');
  padded += digits;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < padded.size(); i += 2) {
    const int high = hex_digit(padded[i]);
    const int low = hex_digit(padded[i + 1]);
    if (high < 0 || low < 0) return usage("pattern '0x{}' is not hexadecimal", shown(digits));
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  if (bytes.empty()) return usage("pattern '0x' has no digits");
  return bytes;
}

Result<std::optional<double>> parse_centre(const std::vector<std::string_view>& parts) {
  if (parts.size() < 3) return std::optional<double>();
  if (parts.size() > 3) return usage("random_distribution has too many parts");
  auto centre = parse_fio_decimal(parts[2]);
  if (!centre) return centre.error();
  return std::optional<double>(*centre);
}

Result<FioDistribution> parse_zones(std::string_view text) {
  FioZones zones;
  for (const std::string_view entry : split_list(text, ':')) {
    const auto parts = split_list(entry, '/');
    if (parts.size() != 2) return usage("zone '{}' is not accesses/size, such as 60/10", shown(entry));
    const auto access = parse_fio_count(parts[0]);
    if (!access) return access.error();
    const auto size = parse_fio_count(parts[1]);
    if (!size) return size.error();
    if (*access > 100 || *size > 100) return usage("zone '{}' has a percentage above 100", shown(entry));
    if (zones.zones.size() >= 256) return usage("random_distribution=zoned has more than 256 zones");
    zones.zones.push_back({static_cast<std::uint32_t>(*access), static_cast<std::uint32_t>(*size)});
  }
  return FioDistribution(zones);
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string result;
  for (const char c : text.substr(0, kMost)) result += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > kMost) result += "...";
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> split_list(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

Result<std::uint64_t> parse_fio_bytes(std::string_view text, std::uint64_t kb_base) {
  auto number = parse_number(text);
  if (!number) return number.error();
  std::string unit = number->unit;
  if (unit == "%") return usage("'{}': percentages of a file need its size; give bytes", shown(text));
  if (unit.ends_with('b')) unit.pop_back();
  std::uint64_t base = kb_base;
  if (unit.size() == 2 && unit.ends_with('i')) {
    base = kb_base == 1024 ? 1000 : 1024;
    unit.pop_back();
  }
  constexpr std::string_view kPrefixes = "kmgtp";
  if (unit.empty()) return number->value;
  const std::size_t power = kPrefixes.find(unit);
  if (unit.size() != 1 || power == std::string_view::npos) {
    return usage("'{}' has an unknown unit: k, m, g, t, p, also with b or i, are right", shown(text));
  }
  std::uint64_t value = number->value;
  for (std::size_t i = 0; i <= power; ++i) {
    const auto next = scaled(value, base, text);
    if (!next) return next.error();
    value = *next;
  }
  return value;
}

Result<std::uint64_t> parse_fio_count(std::string_view text) {
  auto number = parse_number(text);
  if (!number) return number.error();
  if (!number->unit.empty()) return usage("'{}' is not a whole number", shown(text));
  return number->value;
}

Result<std::uint64_t> parse_fio_duration(std::string_view text) {
  auto number = parse_number(text);
  if (!number) return number.error();
  struct Unit {
    std::string_view name;
    std::uint64_t ns;
  };
  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr Unit kUnits[] = {{"", kSecond},         {"s", kSecond},         {"m", 60 * kSecond},
                             {"h", 3600 * kSecond}, {"d", 86400 * kSecond}, {"ms", 1'000'000},
                             {"us", 1'000},         {"usec", 1'000},        {"msec", 1'000'000}};
  for (const Unit& unit : kUnits) {
    if (number->unit == unit.name) return scaled(number->value, unit.ns, text);
  }
  return usage("'{}' has an unknown unit of time: d, h, m, s, ms, us are right", shown(text));
}

Result<bool> parse_fio_bool(std::string_view text) {
  if (text == "1" || text == "true") return true;
  if (text == "0" || text == "false") return false;
  return usage("'{}' is neither 0 nor 1", shown(text));
}

Result<double> parse_fio_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const bool finite = value - value == 0;  // "nan" and "inf" are numbers to from_chars
  if (error != std::errc() || end != text.data() + text.size() || !finite)
    return usage("'{}' is not a number", shown(text));
  return value;
}

Result<std::vector<std::byte>> parse_fio_pattern(std::string_view text) {
  constexpr std::size_t kMaxPattern = 512;  // fio's own limit
  if (text.size() > 2 * kMaxPattern) return usage("a pattern of {} characters is too long", text.size());
  if (text.starts_with("0x") || text.starts_with("0X")) return parse_hex_pattern(text.substr(2));
  std::vector<std::byte> bytes;
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    for (const char c : text.substr(1, text.size() - 2)) bytes.push_back(static_cast<std::byte>(c));
  } else {
    const auto number = parse_fio_count(text);
    if (!number) return usage("pattern '{}' is none of 0xHEX, a decimal number, \"text\"", shown(text));
    std::uint64_t rest = *number;
    do {
      bytes.push_back(static_cast<std::byte>(rest));
      rest >>= 8;
    } while (rest != 0);
  }
  if (bytes.empty()) return usage("the pattern is empty");
  return bytes;
}

Result<FioDistribution> parse_fio_distribution(std::string_view text) {
  if (text == "random") return FioDistribution(FioUniform{});
  if (text.starts_with("zoned:")) return parse_zones(text.substr(6));
  const auto parts = split_list(text, ':');
  const bool known = parts[0] == "zipf" || parts[0] == "pareto" || parts[0] == "normal";
  if (!known) {
    return usage("random_distribution '{}' is none of random, zipf, pareto, normal, zoned", shown(parts[0]));
  }
  double value = parts[0] == "zipf" ? 1.1 : parts[0] == "pareto" ? 0.2 : 0.0;  // fio's defaults
  if (parts.size() > 1) {
    const auto given = parse_fio_decimal(parts[1]);
    if (!given) return given.error();
    value = *given;
  } else if (parts[0] == "normal") {
    return usage("random_distribution=normal needs a deviation, such as normal:10");
  }
  const auto centre = parse_centre(parts);
  if (!centre) return centre.error();
  if (parts[0] == "zipf") return FioDistribution(FioZipf{value, *centre});
  if (parts[0] == "pareto") return FioDistribution(FioPareto{value, *centre});
  return FioDistribution(FioNormal{value, *centre});
}

Result<std::vector<FioSplit>> parse_fio_split(std::string_view text, std::uint64_t kb_base) {
  std::vector<FioSplit> entries;
  for (const std::string_view part : split_list(text, ':')) {
    if (entries.size() >= 64) return usage("bssplit has more than 64 entries");
    const auto fields = split_list(part, '/');
    if (fields.size() > 2) return usage("bssplit entry '{}' is not size/percentage", shown(part));
    const auto size = parse_fio_bytes(fields[0], kb_base);
    if (!size) return size.error();
    FioSplit entry{*size, {}};
    if (fields.size() == 2 && !fields[1].empty()) {
      const auto percent = parse_fio_count(fields[1]);
      if (!percent) return percent.error();
      if (*percent > 100) return usage("bssplit percentage {} is above 100", *percent);
      entry.percent = static_cast<std::uint32_t>(*percent);
    }
    entries.push_back(entry);
  }
  return entries;
}

}  // namespace blkpress::sim
