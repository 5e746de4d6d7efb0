#include <cmath>
#include <nlohmann/json.hpp>

#include "blkpress/sim/replay_report.hpp"

namespace blkpress::sim {
namespace {

using Json = nlohmann::ordered_json;

// Four decimals: more than any document prints.
Json number_or_null(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return std::round(*value * 1e4) / 1e4;
}

Json bar_json(const Bar& bar) {
  Json value = nullptr;
  if (bar.kind == Bar::Kind::range) value = {bar.low, bar.high};
  if (bar.kind == Bar::Kind::percent || bar.kind == Bar::Kind::absolute || bar.kind == Bar::Kind::buckets) {
    value = bar.value;
  }
  return {{"kind", to_string(bar.kind)}, {"value", value}};
}

Json figure_json(const Figure& figure) {
  return {{"experiment", figure.experiment},
          {"system", figure.system},
          {"config", figure.config},
          {"metric", figure.metric},
          {"unit", figure.unit},
          {"published", figure.published},
          {"simulated", figure.simulated ? Json(*figure.simulated) : Json(nullptr)},
          {"class", to_string(figure.figure_class)},
          {"error_percent", number_or_null(figure.error_percent)},
          {"bar", bar_json(figure.bar)},
          {"pass", figure.pass ? Json(*figure.pass) : Json(nullptr)},
          {"passed_by", figure.pass != true ? Json(nullptr) : Json(figure.by_cumulative_share ? "cumulative" : "bar")},
          {"headline", figure.headline},
          {"note", figure.note},
          {"part", figure.part}};
}

Json summary_json(const ReplayReport& report) {
  Json classes = Json::object();
  for (int i = 0; i <= static_cast<int>(FigureClass::not_modelled); ++i) {
    const auto figure_class = static_cast<FigureClass>(i);
    const ClassCounts counts = count_class(report.figures, figure_class);
    classes[std::string(to_string(figure_class))] = {{"figures", counts.figures},
                                                     {"inside", counts.inside},
                                                     {"outside", counts.outside},
                                                     {"not_judged", counts.not_judged},
                                                     {"not_simulated", counts.not_simulated}};
  }
  return {{"classes", classes},
          {"calibrated_parameters", calibrated_parameters(report.statements)},
          {"statements", report.statements},
          {"without", report.without},
          {"what_if", report.set},
          {"events", report.events}};
}

}  // namespace

std::string replay_json(const ReplayReport& report) {
  Json json = {{"figures", Json::array()}};
  for (std::size_t i = 0; i < report.figures.size(); ++i) {
    Json figure = figure_json(report.figures[i]);
    if (!report.ranges.empty()) {
      const SeedRange& range = report.ranges[i];
      figure["seeds"] = {{"low", range.low}, {"high", range.high}, {"passed", range.passed}};
    }
    json["figures"].push_back(std::move(figure));
  }
  json["summary"] = summary_json(report);
  json["seed"] = report.seed;
  if (report.seeds > 1) json["seeds"] = report.seeds;
  json["digest"] = report.digest;
  json["versions"] = Json::object();
  for (const auto& [name, version] : report.versions) json["versions"][name] = version;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace blkpress::sim
