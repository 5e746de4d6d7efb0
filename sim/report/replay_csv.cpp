#include <fmt/format.h>

#include "blkpress/sim/replay_report.hpp"
#include "blkpress/sim/table.hpp"

namespace blkpress::sim {
namespace {

std::string bar_value(const Bar& bar) {
  if (bar.kind == Bar::Kind::range) return fmt::format("{}..{}", bar.low, bar.high);
  return bar.kind == Bar::Kind::none || bar.kind == Bar::Kind::equal ? "" : fmt::format("{}", bar.value);
}

std::string pass_text(const Figure& figure) {
  if (!figure.pass) return "";
  return *figure.pass ? "true" : "false";
}

}  // namespace

std::string replay_csv(const ReplayReport& report) {
  std::vector<Column> columns;
  for (const char* title : {"experiment", "system", "config", "metric", "unit", "published", "simulated", "class",
                            "error_percent", "bar_kind", "bar_value", "pass", "headline", "note", "part"}) {
    columns.push_back({title});
  }
  if (!report.ranges.empty()) columns.insert(columns.end(), {{"seeds_low"}, {"seeds_high"}, {"seeds_passed"}});
  Table table(columns);
  for (std::size_t i = 0; i < report.figures.size(); ++i) {
    const Figure& figure = report.figures[i];
    std::vector<std::string> cells = {figure.experiment,
                                      figure.system,
                                      figure.config,
                                      figure.metric,
                                      figure.unit,
                                      figure.published,
                                      figure.simulated.value_or(""),
                                      std::string(to_string(figure.figure_class)),
                                      figure.error_percent ? fmt::format("{:.4f}", *figure.error_percent) : "",
                                      std::string(to_string(figure.bar.kind)),
                                      bar_value(figure.bar),
                                      pass_text(figure),
                                      figure.headline ? "true" : "false",
                                      figure.note,
                                      figure.part};
    if (!report.ranges.empty()) {
      const SeedRange& range = report.ranges[i];
      cells.insert(cells.end(), {range.low, range.high, fmt::format("{}", range.passed)});
    }
    table.add_row(std::move(cells));
  }
  return table.csv();
}

}  // namespace blkpress::sim
