// What `blkpress estimate` prints.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blkpress/estimate.hpp"

namespace blkpress::tool {

// One cell beside what was asked for it.
struct EstimateRow {
  std::string compression;  // as asked: "gzip", where the property in force is gzip-6
  std::uint64_t recordsize = 0;
  std::uint64_t ashift = 0;
  const CellEstimate* cell = nullptr;

  // lsize / psize of the data blocks; 1 when nothing is stored, as OpenZFS has it.
  [[nodiscard]] double ratio() const;
};

struct EstimateReport {
  const EstimateResult* result = nullptr;
  std::vector<EstimateRow> rows;  // in the order of the question
};

std::string estimate_text(const EstimateReport& report);
std::string estimate_json(const EstimateReport& report);
std::string estimate_csv(const EstimateReport& report);

}  // namespace blkpress::tool
