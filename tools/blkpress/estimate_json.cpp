#include <cmath>

#include "blkpress/estimate_report.hpp"
#include "blkpress/json.hpp"

namespace blkpress::tool {
namespace {

// Four decimals are enough for every comparison and keep the text short.
double rounded(double value) { return std::round(value * 1e4) / 1e4; }

Json reasons_json(const Ledger& ledger) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kRecordReasonCount; ++i) {
    const auto reason = static_cast<RecordReason>(i);
    const ReasonSums& sums = ledger.of(reason);
    json[std::string(to_string(reason))] = {{"records", sums.records}, {"lsize", sums.lsize},
                                            {"psize", sums.psize},     {"asize", sums.asize},
                                            {"payload", sums.payload}, {"padding", sums.padding}};
  }
  return json;
}

Json dataset_json(const Ledger& ledger) {
  return {{"used", ledger.used()},
          {"referenced", ledger.referenced()},
          {"logicalused", ledger.logicalused()},
          {"logicalreferenced", ledger.logicalreferenced()},
          {"metadata_psize", ledger.metadata().psize},
          {"metadata_asize", ledger.metadata().asize},
          {"embedded_payload", ledger.embedded_payload()},
          {"tail_padding", ledger.tail_padding()},
          {"parity", ledger.data().parity},
          {"st_blocks", ledger.st_blocks()}};
}

Json row_json(const EstimateRow& row) {
  const Ledger& ledger = row.cell->ledger;
  Json json = {{"policy", row.cell->policy},
               {"compression", row.compression},
               {"recordsize", row.recordsize},
               {"ashift", row.ashift},
               {"files", ledger.objects()},
               {"bytes", ledger.bytes()},
               {"lsize", ledger.data().lsize},
               {"psize", ledger.data().psize},
               {"asize", ledger.data().asize},
               {"ratio", rounded(row.ratio())},
               {"compressratio", static_cast<double>(ledger.compressratio_x100()) / 100},
               {"reasons", reasons_json(ledger)},
               {"dataset", dataset_json(ledger)}};
  json["properties"] = Json::object();
  for (const Property& property : row.cell->properties) json["properties"][property.name] = property.value;
  return json;
}

Json scan_json(const EstimateResult& result) {
  Json json = {{"files", result.files},
               {"bytes", result.bytes},
               {"unwritten", result.unwritten},
               {"grown", result.grown},
               {"symbolic_links", result.skips.symbolic_links},
               {"special_files", result.skips.special_files},
               {"hard_links", result.skips.hard_links},
               {"other_filesystems", result.skips.other_filesystems},
               {"repeated_paths", result.skips.repeated_paths},
               {"unreadable", result.unreadable},
               {"problems", Json::array()}};
  for (const Error& problem : result.problems) json["problems"].push_back(problem.message);
  return json;
}

}  // namespace

std::string estimate_json(const EstimateReport& report) {
  Json json = {{"results", Json::array()}, {"scan", scan_json(*report.result)}};
  for (const EstimateRow& row : report.rows) json["results"].push_back(row_json(row));
  json["versions"] = versions_json();
  return json_text(json);
}

}  // namespace blkpress::tool
