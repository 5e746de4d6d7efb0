#include "blkpress/sim/figure.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "blkpress/sim/fio_statistics.hpp"

namespace blkpress::sim {
namespace {

constexpr std::array<std::string_view, 7> kClassNames = {"config",     "identity",        "derived",     "calibration",
                                                         "prediction", "prediction-weak", "not-modelled"};
constexpr std::array<std::string_view, 6> kBarNames = {"none", "percent", "absolute", "buckets", "equal", "range"};

// Differences that only come from writing decimal numbers in binary: 2.52 - 2.51 is a little more than 0.01.
constexpr double kRoundoff = 1e-9;

// A printed number and what stands behind it: {1.5, "K"}.
struct Printed {
  double number = 0;
  std::string_view suffix;
};

// Digits with at most one point, at the start of text, which is cut.
std::optional<double> take_decimal(std::string_view& text) {
  std::size_t size = 0;
  while (size < text.size() && (std::isdigit(static_cast<unsigned char>(text[size])) != 0 || text[size] == '.')) ++size;
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + size, value, std::chars_format::fixed);
  if (problem != std::errc() || end != text.data() + size) return std::nullopt;
  text.remove_prefix(size);
  return value;
}

// Letters and signs that units are made of; anything else says that this was no single number.
bool is_unit(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalpha(byte) == 0 && c != '%' && c != '/' && c != ' ' && byte < 0x80) return false;
  }
  return true;
}

std::optional<Printed> parse_printed(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  auto value = take_decimal(text);
  if (!value) return std::nullopt;
  // m:ss.ff and h:mm:ss
  for (int colons = 0; text.starts_with(':') && colons < 2; ++colons) {
    text.remove_prefix(1);
    const auto part = take_decimal(text);
    if (!part || *part >= 60) return std::nullopt;
    value = *value * 60 + *part;
  }
  if (!is_unit(text)) return std::nullopt;
  return Printed{negative ? -*value : *value, text};
}

// What a unit prefix multiplies by. ZFS means 1024 by K, M, G; fio writes k for 1000, MiB for 1024^2, MB for 1000^2.
double multiplier(std::string_view suffix) {
  constexpr std::string_view kPrefixes = "KMGTPE";
  if (suffix.empty()) return 1;
  const std::size_t power = kPrefixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[0]))));
  const bool letter_alone = suffix.size() == 1;
  const char next = letter_alone ? '\0' : suffix[1];
  if (power == std::string_view::npos || (!letter_alone && next != 'i' && next != 'B')) return 1;
  const bool decimal = letter_alone ? suffix[0] == 'k' : next == 'B';
  return std::pow(decimal ? 1000.0 : 1024.0, static_cast<double>(power + 1));
}

double usec_per_unit(std::string_view unit) {
  if (unit.starts_with("nsec") || unit == "ns") return 1e-3;
  if (unit.starts_with("msec") || unit == "ms") return 1e3;
  if (unit == "s" || unit == "sec") return 1e6;
  return 1;
}

// The simulated number in the unit of the published one, which need not be printed with the same prefix.
struct Pair {
  double published = 0;
  double simulated = 0;
};

std::optional<Pair> comparable(std::string_view published_text, std::string_view simulated_text) {
  const auto published = parse_printed(published_text);
  const auto simulated = parse_printed(simulated_text);
  if (!published || !simulated) return std::nullopt;
  Pair pair{published->number, simulated->number};
  if (published->suffix != simulated->suffix) {
    pair.simulated *= multiplier(simulated->suffix) / multiplier(published->suffix);
  }
  return pair;
}

// The one of two printed numbers that lies farther off: the ends of "140MiB/s-141MiB/s", reads and writes of "0/2332".
std::optional<Pair> farther_of_two(std::string_view published, std::string_view simulated, char separator) {
  const std::size_t published_dash = published.find(separator, 1);
  const std::size_t simulated_dash = simulated.find(separator, 1);
  if (published_dash == std::string_view::npos || simulated_dash == std::string_view::npos) return std::nullopt;
  const auto low = comparable(published.substr(0, published_dash), simulated.substr(0, simulated_dash));
  const auto high = comparable(published.substr(published_dash + 1), simulated.substr(simulated_dash + 1));
  if (!low || !high) return std::nullopt;
  const bool low_is_farther = std::abs(low->simulated - low->published) > std::abs(high->simulated - high->published);
  return low_is_farther ? low : high;
}

// The bounds of a range bar need no published number: the document may print a range itself, "600-700".
std::optional<Pair> against_range(std::string_view simulated) {
  const auto number = parse_number(simulated);
  if (!number) return std::nullopt;
  return Pair{0, *number};
}

bool inside(const Bar& bar, const Pair& pair, std::string_view unit) {
  const double distance = std::abs(pair.simulated - pair.published);
  const auto at_most = [](double value, double limit) { return value <= limit + kRoundoff * (std::abs(limit) + 1); };
  switch (bar.kind) {
    case Bar::Kind::percent:
      return at_most(distance, bar.value / 100 * std::abs(pair.published));
    case Bar::Kind::absolute:
      return at_most(distance, bar.value);
    case Bar::Kind::buckets: {
      const double scale = usec_per_unit(unit);
      return at_most(static_cast<double>(fio_bucket_distance(pair.simulated * scale, pair.published * scale)),
                     bar.value);
    }
    case Bar::Kind::range:
      return at_most(bar.low, pair.simulated) && at_most(pair.simulated, bar.high);
    case Bar::Kind::none:
    case Bar::Kind::equal:
      break;
  }
  return false;
}

}  // namespace

std::string_view to_string(FigureClass figure_class) { return kClassNames[static_cast<std::size_t>(figure_class)]; }

Result<FigureClass> parse_figure_class(std::string_view text) {
  for (std::size_t i = 0; i < kClassNames.size(); ++i) {
    if (text == kClassNames[i]) return static_cast<FigureClass>(i);
  }
  return Error{ErrorKind::usage, fmt::format("class '{}' is not one of {}", text, fmt::join(kClassNames, ", "))};
}

std::string_view to_string(Bar::Kind kind) { return kBarNames[static_cast<std::size_t>(kind)]; }

void judge(Figure& figure) {
  figure.error_percent.reset();
  figure.pass.reset();
  figure.by_cumulative_share = false;
  if (!figure.simulated) return;
  auto pair = comparable(figure.published, *figure.simulated);
  if (!pair) pair = farther_of_two(figure.published, *figure.simulated, '/');
  if (pair && pair->published != 0) {
    figure.error_percent = 100 * (pair->simulated - pair->published) / std::abs(pair->published);
  }
  if (figure.bar.kind == Bar::Kind::none) return;
  std::optional<Pair> judged = pair ? pair : farther_of_two(figure.published, *figure.simulated, '-');
  if (!judged && figure.bar.kind == Bar::Kind::range) judged = against_range(*figure.simulated);
  // What is no number can only be the same or not.
  figure.pass = figure.bar.kind == Bar::Kind::equal || !judged ? figure.published == *figure.simulated
                                                               : inside(figure.bar, *judged, figure.unit);
}

std::optional<double> parse_number(std::string_view printed) {
  const auto parsed = parse_printed(printed);
  if (!parsed) return std::nullopt;
  return parsed->number;
}

}  // namespace blkpress::sim
