// Tables: columns of text, for people and as CSV.
//
// Threads: a Table belongs to one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace blkpress::sim {

struct Column {
  enum class Align : unsigned char { left, right };
  std::string title;
  Align align = Align::left;
  std::size_t width_max = 0;  // characters; longer cells end in "…". 0: as wide as the widest cell
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column.
  void add_row(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  // A title line, then the rows, aligned, two spaces between columns and none at the end of a line. Control characters
  // in a cell are escaped. indent: spaces before each line.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

  // RFC 4180 with "\n" line ends: a title line, then the rows, whole.
  [[nodiscard]] std::string csv() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Characters of UTF-8 text; each byte that is not UTF-8 counts as one.
std::size_t display_width(std::string_view text);

}  // namespace blkpress::sim
