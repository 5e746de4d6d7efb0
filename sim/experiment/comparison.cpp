#include "experiment/comparison.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace blkpress::sim {

namespace {

// The width of a bucket of fio's percentiles, in percent of its value: 1/64, printed in steps of 1.43 % on average.
constexpr double kBucketPercent = 1.43;

const SimulatedPart* find_part(const std::vector<SimulatedPart>& parts, const std::string& part,
                               const std::string& config) {
  for (const SimulatedPart& candidate : parts) {
    if (candidate.part == part && candidate.config == config) return &candidate;
  }
  return nullptr;
}

const PrintedNumber* find_printed(const SimulatedPart& part, const std::string& metric) {
  for (const PrintedNumber& number : part.numbers) {
    if (number.metric == metric) return &number;
  }
  return nullptr;
}

const std::string* find_number(const SimulatedPart& part, const std::string& metric) {
  const PrintedNumber* number = find_printed(part, metric);
  return number == nullptr ? nullptr : &number->value;
}

// fio chooses the unit of times and rates by their size.
std::optional<double> scale_of(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 9> kUnits = {{{"nsec", 1e-9},
                                                                          {"usec", 1e-6},
                                                                          {"msec", 1e-3},
                                                                          {"sec", 1},
                                                                          {"KiB/s", 1024},
                                                                          {"MiB/s", 1048576},
                                                                          {"GiB/s", 1073741824},
                                                                          {"kB/s", 1e3},
                                                                          {"MB/s", 1e6}}};
  for (const auto& [name, scale] : kUnits) {
    if (name == unit) return scale;
  }
  return std::nullopt;
}

// The number in the unit that the document has.
std::string in_published_unit(const PrintedNumber& number, const Figure& figure) {
  const auto from = scale_of(number.unit);
  const auto to = scale_of(figure.unit);
  const auto value = parse_number(number.value);
  if (number.unit == figure.unit || !from || !to || !value) return number.value;
  return fmt::format("{:.2f}", *value * *from / *to);
}

// The unit stands in a column of its own unless the document repeats it: "5.52M" is 5.52 when the unit is M.
std::string as_published(const std::string& value, const Figure& figure) {
  const std::string& unit = figure.unit;
  if (unit.empty() || !value.ends_with(unit) || value.size() == unit.size()) return value;
  if (figure.published.ends_with(unit)) return value;
  return value.substr(0, value.size() - unit.size());
}

double runtime_error_percent(const std::vector<PublishedFigure>& published, const PublishedFigure& row,
                             const SimulatedPart& part) {
  const std::string* simulated = find_number(part, "fio.runtime");
  for (const PublishedFigure& other : published) {
    if (other.figure.part != row.figure.part || other.figure.config != row.figure.config) continue;
    if (other.figure.metric != "fio.runtime" || simulated == nullptr) continue;
    const auto before = parse_number(other.figure.published);
    const auto now = parse_number(*simulated);
    if (before && now && *before > 0) return std::abs(*now - *before) / *before * 100;
  }
  return 0;
}

// The upper bound of a bin "fio.lat_hist.le_20usec", in ns.
std::optional<double> bound_ns(std::string_view metric) {
  constexpr std::string_view kPrefix = "fio.lat_hist.le_";
  if (!metric.starts_with(kPrefix)) return std::nullopt;
  metric.remove_prefix(kPrefix.size());
  double value = 0;
  while (!metric.empty() && metric[0] >= '0' && metric[0] <= '9') {
    value = value * 10 + (metric[0] - '0');
    metric.remove_prefix(1);
  }
  if (metric == "nsec") return value;
  if (metric == "usec") return value * 1e3;
  if (metric == "msec") return value * 1e6;
  return std::nullopt;
}

// Whether the published cumulative share at a bound lies within the simulated shares at 0.92 and 1.08 times the bound,
// plus or minus 0.3 points: a bound inside a peak turns a small shift in time into a large one in shares.
// `strictness` 2 halves both, as a calibration's bar is halved.
bool cumulative_fits(const FioGroup& group, double bound, double published_percent, double strictness) {
  const double slack = 0.3 / strictness;
  const double reach = 0.08 / strictness;
  return published_percent >= fio_percent_below(group, (1 - reach) * bound) - slack &&
         published_percent <= fio_percent_below(group, (1 + reach) * bound) + slack;
}

// The bound below one of fio's latency bins: 2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, then the same in the next
// unit.
double bound_below(double bound_ns) {
  constexpr std::array kSteps = {2.0, 4.0, 10.0, 20.0, 50.0, 100.0, 250.0, 500.0, 750.0, 1000.0};
  double below = 0;
  for (const double unit : {1.0, 1e3, 1e6}) {
    for (const double step : kSteps) {
      if (step * unit < bound_ns) below = step * unit;
    }
  }
  return below;
}

bool bin_fits(const std::vector<PublishedFigure>& published, const PublishedFigure& row, const FioGroup& group) {
  const auto high = bound_ns(row.figure.metric);
  if (!high) return false;
  const double low = bound_below(*high);
  double below = 0;  // published share below the bin
  for (const PublishedFigure& other : published) {
    if (other.figure.part != row.figure.part || other.figure.config != row.figure.config) continue;
    const auto bound = bound_ns(other.figure.metric);
    const auto share = parse_number(other.figure.published);
    if (!bound || !share || *bound >= *high) continue;
    below += *share;
  }
  const double share = parse_number(row.figure.published).value_or(0);
  const double strictness = row.figure.figure_class == FigureClass::calibration ? 2 : 1;
  return cumulative_fits(group, low, below, strictness) && cumulative_fits(group, *high, below + share, strictness);
}

void apply_rule(const std::vector<PublishedFigure>& published, PublishedFigure& row, const SimulatedPart& part) {
  if (row.rule == BarRule::plateau) {
    row.figure.bar.value += std::ceil(runtime_error_percent(published, row, part) / kBucketPercent);
  }
  judge(row.figure);
  if (row.rule == BarRule::lat_hist && row.figure.pass == false && part.fio) {
    row.figure.by_cumulative_share = bin_fits(published, row, *part.fio);
    row.figure.pass = row.figure.by_cumulative_share;
  }
}

}  // namespace

std::vector<Figure> compare(std::vector<PublishedFigure> published, const std::vector<SimulatedPart>& simulated,
                            const std::string& experiment, const std::string& system) {
  std::vector<Figure> figures;
  for (PublishedFigure& row : published) {
    row.figure.experiment = experiment;
    row.figure.system = system;
    const SimulatedPart* part = find_part(simulated, row.figure.part, row.figure.config);
    const PrintedNumber* value = part == nullptr ? nullptr : find_printed(*part, row.figure.metric);
    if (value != nullptr) {
      row.figure.simulated = as_published(in_published_unit(*value, row.figure), row.figure);
      apply_rule(published, row, *part);
    }
    figures.push_back(row.figure);
  }
  return figures;
}

std::optional<double> demerit(const std::vector<PublishedFigure>& published, const SimulatedPart& part) {
  std::array<double, kFioPercentiles.size()> printed{};
  std::array<double, kFioPercentiles.size()> simulated{};
  const auto published_number = [&](const std::string& metric) -> std::optional<double> {
    for (const PublishedFigure& row : published) {
      if (row.figure.part == part.part && row.figure.config == part.config && row.figure.metric == metric) {
        return parse_number(row.figure.published);
      }
    }
    return std::nullopt;
  };
  for (std::size_t i = 0; i < kFioPercentiles.size(); ++i) {
    const std::string metric = fmt::format("fio.clat.p{}", kFioPercentiles[i] / 100.0);
    const std::string* value = find_number(part, metric);
    const auto expected = published_number(metric);
    if (value == nullptr || !expected) return std::nullopt;
    printed[i] = *expected;
    simulated[i] = parse_number(*value).value_or(0);
  }
  const auto mean = published_number("fio.clat.avg");
  if (!mean || *mean <= 0) return std::nullopt;
  return fio_demerit17(simulated, printed, *mean);
}

}  // namespace blkpress::sim
