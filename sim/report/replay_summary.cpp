#include <fmt/format.h>

#include <algorithm>

#include "blkpress/sim/replay_report.hpp"

namespace blkpress::sim {

ClassCounts count_class(std::span<const Figure> figures, FigureClass figure_class) {
  ClassCounts counts;
  for (const Figure& figure : figures) {
    if (figure.figure_class != figure_class) continue;
    ++counts.figures;
    if (!figure.simulated) {
      ++counts.not_simulated;
    } else if (!figure.pass) {
      ++counts.not_judged;
    } else {
      ++(*figure.pass ? counts.inside : counts.outside);
    }
  }
  return counts;
}

std::uint64_t calibrated_parameters(std::span<const std::string> statements) {
  return static_cast<std::uint64_t>(std::count_if(
      statements.begin(), statements.end(), [](const std::string& line) { return line.starts_with("calibrated"); }));
}

std::vector<SeedRange> seed_ranges(std::span<const std::vector<Figure>> runs) {
  std::vector<SeedRange> ranges;
  if (runs.empty()) return ranges;
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    SeedRange range;
    std::optional<double> low;
    std::optional<double> high;
    for (const auto& figures : runs) {
      BLKPRESS_ASSERT(figures.size() == runs.front().size());
      const Figure& figure = figures[i];
      if (figure.pass == true) ++range.passed;
      if (!figure.simulated) continue;
      // The error orders the values whatever prefix each is printed with; text has none and the first one stays.
      const double place = figure.error_percent ? *figure.error_percent : parse_number(*figure.simulated).value_or(0);
      if (!low || place < *low) low = place, range.low = *figure.simulated;
      if (!high || place > *high) high = place, range.high = *figure.simulated;
    }
    ranges.push_back(std::move(range));
  }
  return ranges;
}

std::string bar_text(const Bar& bar) {
  switch (bar.kind) {
    case Bar::Kind::none:
      return "-";
    case Bar::Kind::percent:
      return fmt::format("±{:g}%", bar.value);
    case Bar::Kind::absolute:
      return fmt::format("±{:g}", bar.value);
    case Bar::Kind::buckets:
      return fmt::format("{:g} bucket{}", bar.value, bar.value == 1 ? "" : "s");
    case Bar::Kind::equal:
      return "equal";
    case Bar::Kind::range:
      return fmt::format("{:g} to {:g}", bar.low, bar.high);
  }
  return {};
}

}  // namespace blkpress::sim
