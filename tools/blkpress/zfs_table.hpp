// ZfsTable: rows as zfs(8) and zpool(8) print them: two blanks between columns, or tabs and no heading with -H.
#pragma once

#include <string>
#include <vector>

namespace blkpress::tool {

class ZfsTable {
 public:
  struct Column {
    std::string heading;
    bool right = false;  // aligned
  };

  explicit ZfsTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::string scripted() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace blkpress::tool
