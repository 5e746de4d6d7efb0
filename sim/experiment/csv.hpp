// Comma-separated values with quotes, as published.csv is written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blkpress/result.hpp"

namespace blkpress::sim {

struct CsvRow {
  std::size_t line = 0;  // from 1
  std::vector<std::string> fields;
};

// Every row, the header included. name: for messages. Errors: usage: a quote that does not end, text behind a quote,
// rows of different lengths.
Result<std::vector<CsvRow>> parse_csv(std::string_view text, std::string_view name);

}  // namespace blkpress::sim
