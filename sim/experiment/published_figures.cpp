#include "experiment/published_figures.hpp"

#include <fmt/format.h>

#include <charconv>
#include "blkpress/text_file.hpp"
#include "experiment/csv.hpp"

namespace blkpress::sim {

namespace {

constexpr std::string_view kHeader = "part,config,metric,published,unit,class,bar,value,rule,headline,note";
enum Column : std::size_t { kPart, kConfig, kMetric, kPublished, kUnit, kClass, kBar, kValue, kRule, kHeadline, kNote };

// "percent" with "5", or "range" with "1.5..1.7".
Result<Bar> parse_bar(const std::string& kind, const std::string& value) {
  Bar bar;
  const auto number = [](std::string_view text, double& result) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    return error == std::errc{} && end == text.data() + text.size() && result >= 0;
  };
  for (const Bar::Kind known : {Bar::Kind::none, Bar::Kind::percent, Bar::Kind::absolute, Bar::Kind::buckets,
                                Bar::Kind::equal, Bar::Kind::range}) {
    if (kind != to_string(known)) continue;
    bar.kind = known;
    if (known == Bar::Kind::none || known == Bar::Kind::equal) {
      if (value.empty()) return bar;
      return Error{ErrorKind::usage, fmt::format("bar {} takes no value, not {}", kind, value)};
    }
    if (known == Bar::Kind::range) {
      const std::size_t dots = value.find("..");
      if (dots != std::string::npos && number(value.substr(0, dots), bar.low) &&
          number(value.substr(dots + 2), bar.high) && bar.low <= bar.high) {
        return bar;
      }
      return Error{ErrorKind::usage, fmt::format("bar range {} is not <low>..<high>", value)};
    }
    if (number(value, bar.value)) return bar;
    return Error{ErrorKind::usage, fmt::format("bar {} {} is not a number from 0 on", kind, value)};
  }
  return Error{ErrorKind::usage, fmt::format("bar {} is none of none, percent, absolute, buckets, equal, range", kind)};
}

Result<BarRule> parse_rule(const std::string& text) {
  if (text.empty()) return BarRule::fixed;
  if (text == "plateau") return BarRule::plateau;
  if (text == "lat_hist") return BarRule::lat_hist;
  return Error{ErrorKind::usage, fmt::format("rule {} is none of plateau, lat_hist", text)};
}

Result<PublishedFigure> parse_row(const std::vector<std::string>& fields) {
  PublishedFigure row;
  row.figure.part = fields[kPart];
  row.figure.config = fields[kConfig];
  row.figure.metric = fields[kMetric];
  row.figure.published = fields[kPublished];
  row.figure.unit = fields[kUnit];
  row.figure.headline = fields[kHeadline] == "yes";
  row.figure.note = fields[kNote];
  if (row.figure.metric.empty()) return Error{ErrorKind::usage, "metric is empty"};
  const auto figure_class = parse_figure_class(fields[kClass]);
  if (!figure_class) return figure_class.error();
  row.figure.figure_class = *figure_class;
  const auto bar = parse_bar(fields[kBar], fields[kValue]);
  if (!bar) return bar.error();
  row.figure.bar = *bar;
  const auto rule = parse_rule(fields[kRule]);
  if (!rule) return rule.error();
  row.rule = *rule;
  return row;
}

}  // namespace

Result<std::vector<PublishedFigure>> load_published_figures(const std::string& path) {
  const auto text = read_text_file(path, "file");
  if (!text) return text.error();
  const std::string& content = *text;
  if (content.substr(0, content.find('\n')) != kHeader) {
    return Error{ErrorKind::usage, fmt::format("{}:1: the header is not {}", path, kHeader)};
  }
  const auto rows = parse_csv(content, path);
  if (!rows) return rows.error();
  std::vector<PublishedFigure> figures;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    auto figure = parse_row((*rows)[i].fields);
    if (!figure) {
      return Error{ErrorKind::usage, fmt::format("{}:{}: {}", path, (*rows)[i].line, figure.error().message)};
    }
    figures.push_back(std::move(*figure));
  }
  return figures;
}

}  // namespace blkpress::sim
