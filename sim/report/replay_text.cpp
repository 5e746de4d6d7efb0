#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "blkpress/sim/replay_report.hpp"
#include "blkpress/sim/table.hpp"

namespace blkpress::sim {
namespace {

constexpr auto kRight = Column::Align::right;
constexpr std::size_t kLineMax = 120;

std::string error_text(const Figure& figure) {
  if (!figure.error_percent) return "";
  if (std::abs(*figure.error_percent) >= 1000) return fmt::format("{:+.0f}%", *figure.error_percent);
  return fmt::format("{:+.1f}%", *figure.error_percent);
}

std::string verdict(const Figure& figure) {
  if (!figure.simulated) return "not simulated";
  if (!figure.pass) return "";
  if (!*figure.pass) return "OUTSIDE";
  return figure.by_cumulative_share ? "inside*" : "inside";
}

bool is_evidence(const Figure& figure) {
  return figure.figure_class == FigureClass::prediction || figure.figure_class == FigureClass::calibration;
}

bool is_miss(const Figure& figure) { return figure.pass == false; }

// text in lines that fit, each after indent.
std::string wrapped(std::string_view text, std::string_view indent) {
  std::string result;
  std::string line(indent);
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (line.size() > indent.size() && display_width(line) + 1 + display_width(word) > kLineMax) {
      result += line + '\n';
      line = indent;
    }
    if (line.size() > indent.size()) line += ' ';
    line += word;
  }
  return result + line + '\n';
}

// The lines of a table, with a note below each row that has one. The first line is the title.
std::string with_notes(const std::string& table, const std::vector<std::string>& notes) {
  std::string text;
  std::istringstream lines(table);
  std::size_t row = 0;
  for (std::string line; std::getline(lines, line); ++row) {
    text += line + '\n';
    if (row > 0 && !notes[row - 1].empty()) text += wrapped(notes[row - 1], "      ");
  }
  return text;
}

// Figures of several experiments in one table.
std::string overview_table(const std::vector<const Figure*>& figures, bool notes) {
  Table table({{"experiment", Column::Align::left, 14},
               {"run", Column::Align::left, 24},
               {"metric", Column::Align::left, 26},
               {"published", kRight, 12},
               {"simulated", kRight, 12},
               {"error", kRight},
               {"bar", kRight, 10},
               {""}});
  std::vector<std::string> lines;
  for (const Figure* figure : figures) {
    table.add_row({figure->experiment, figure->run(), figure->metric, figure->published,
                   figure->simulated.value_or("-"), error_text(*figure), bar_text(figure->bar),
                   figure->simulated && is_miss(*figure) ? "miss" : ""});
    lines.push_back(notes || !is_miss(*figure) ? figure->note : "");
  }
  return with_notes(table.text(2), lines);
}

std::string headlines(const ReplayReport& report) {
  std::vector<const Figure*> figures;
  for (const Figure& figure : report.figures) {
    if (figure.headline) figures.push_back(&figure);
  }
  if (figures.empty()) return {};
  return "Headline predictions: no parameter was chosen on these\n" + overview_table(figures, false) + '\n';
}

std::string misses(const ReplayReport& report) {
  std::vector<const Figure*> figures;
  std::uint64_t others = 0;
  for (const Figure& figure : report.figures) {
    if (!is_miss(figure)) continue;
    if (is_evidence(figure)) {
      figures.push_back(&figure);
    } else {
      ++others;
    }
  }
  if (figures.empty() && others == 0) return "Misses: none\n\n";
  std::string text = fmt::format("Misses: {} among predictions and calibrations", figures.size());
  if (others > 0) text += fmt::format(", {} in other classes (listed with --all-figures)", others);
  text += '\n';
  if (!figures.empty()) text += overview_table(figures, true);
  return text + '\n';
}

std::string summary(const ReplayReport& report) {
  Table table({{"class"},
               {"figures", kRight},
               {"inside", kRight},
               {"outside", kRight},
               {"not judged", kRight},
               {"not simulated", kRight}});
  for (int i = 0; i <= static_cast<int>(FigureClass::not_modelled); ++i) {
    const auto figure_class = static_cast<FigureClass>(i);
    const ClassCounts counts = count_class(report.figures, figure_class);
    if (counts.figures == 0) continue;
    table.add_row({std::string(to_string(figure_class)), fmt::format("{}", counts.figures),
                   fmt::format("{}", counts.inside), fmt::format("{}", counts.outside),
                   fmt::format("{}", counts.not_judged), fmt::format("{}", counts.not_simulated)});
  }
  std::string text =
      "Summary: inside and outside of the bars that were fixed before the first fit; only predictions "
      "carry evidence\n" +
      table.text(2);
  text += fmt::format("  calibrated parameters: {}\n", calibrated_parameters(report.statements));
  if (std::any_of(report.figures.begin(), report.figures.end(),
                  [](const Figure& f) { return f.by_cumulative_share; })) {
    text +=
        "  inside*: by the cumulative shares at the bounds of the bin, not by the bar beside it (docs/replays.md)\n";
  }
  return text + '\n';
}

bool is_shown(const Figure& figure, ReplayTextOptions options) { return options.all_figures || is_evidence(figure); }

// The figures of one run, below a line with its name.
std::string run_table(const ReplayReport& report, const std::vector<std::size_t>& figures) {
  std::vector<Column> columns = {{"metric", Column::Align::left, 30},
                                 {"published", kRight, 13},
                                 {"simulated", kRight, 13},
                                 {"unit", Column::Align::left, 7},
                                 {"error", kRight},
                                 {"bar", kRight, 10},
                                 {"class"},
                                 {""}};
  if (!report.ranges.empty()) columns[3] = {fmt::format("{} seeds", report.seeds), kRight, 17};
  Table table(columns);
  for (const std::size_t i : figures) {
    const Figure& figure = report.figures[i];
    std::string third = figure.unit;
    if (!report.ranges.empty()) {
      const SeedRange& range = report.ranges[i];
      third = range.low == range.high ? range.low : range.low + " to " + range.high;
    }
    table.add_row({figure.metric, figure.published, figure.simulated.value_or("-"), third, error_text(figure),
                   bar_text(figure.bar), std::string(to_string(figure.figure_class)), verdict(figure)});
  }
  return table.text(4);
}

std::string experiment_tables(const ReplayReport& report, const std::string& id, const std::string& title,
                              ReplayTextOptions options) {
  std::string text = wrapped(fmt::format("{}: {}", id, title), "");
  std::vector<std::string> runs;
  std::uint64_t hidden = 0;
  for (const Figure& figure : report.figures) {
    if (figure.experiment != id) continue;
    if (!is_shown(figure, options)) {
      ++hidden;
    } else if (std::find(runs.begin(), runs.end(), figure.run()) == runs.end()) {
      runs.push_back(figure.run());
    }
  }
  for (const std::string& run : runs) {
    std::vector<std::size_t> figures;
    for (std::size_t i = 0; i < report.figures.size(); ++i) {
      const Figure& figure = report.figures[i];
      if (figure.experiment == id && figure.run() == run && is_shown(figure, options)) figures.push_back(i);
    }
    text += wrapped(run, "  ") + run_table(report, figures);
  }
  if (hidden > 0) text += fmt::format("  and {} figures of other classes (--all-figures)\n", hidden);
  return text + '\n';
}

}  // namespace

std::string replay_text(const ReplayReport& report, ReplayTextOptions options) {
  std::string text;
  if (report.set.empty()) {
    if (!report.without.empty()) {
      text = wrapped(fmt::format("Without {}: not the whole model, to which bars and notes belong.",
                                 fmt::join(report.without, ", ")),
                     "") +
             '\n';
    }
    text += headlines(report) + misses(report) + summary(report);
  } else {
    text =
        wrapped(fmt::format("What if {}: not the documents' world. The figures show what would change; none is judged.",
                            fmt::join(report.set, ", ")),
                "") +
        '\n';
  }
  for (const auto& [id, title] : report.titles) text += experiment_tables(report, id, title, options);
  if (!report.statements.empty()) {
    text += "What this rests on\n";
    for (const std::string& statement : report.statements) text += wrapped(statement, "  ");
    text += '\n';
  }
  if (!report.without.empty()) text += fmt::format("without: {}\n", fmt::join(report.without, ", "));
  std::string versions;
  for (const auto& [name, version] : report.versions) versions += fmt::format(", {} {}", name, version);
  text +=
      wrapped(fmt::format("seed {}, digest {}, {} events{}", report.seed, report.digest, report.events, versions), "");
  return text;
}

}  // namespace blkpress::sim
