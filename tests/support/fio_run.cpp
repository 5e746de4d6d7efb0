#include "support/fio_run.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "blkpress/result.hpp"

namespace blkpress::test {

std::vector<std::vector<std::string>> read_golden_csv(const std::string& name, std::size_t columns) {
  std::ifstream file(std::string(BLKPRESS_GOLDEN_DIR) + "/" + name);
  BLKPRESS_ASSERT(file.good());
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      const std::size_t comma = line.find(',');
      BLKPRESS_ASSERT(comma != std::string::npos);
      row.push_back(line.substr(0, comma));
      line.erase(0, comma + 1);
    }
    row.push_back(line);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string fio_offset_lines(const FioIoOptions& options) {
  std::string lines;
  FioOffsets offsets(options);
  while (const auto io = offsets.next()) {
    fmt::format_to(std::back_inserter(lines), "{} {} {}\n", io->direction == FioDirection::read ? "read" : "write",
                   io->offset, io->length);
  }
  return lines;
}

}  // namespace blkpress::test
