#include "blkpress/zfs_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace blkpress::tool {

std::string ZfsTable::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = columns_[i].heading.size();
    for (const auto& row : rows_) width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      if (i > 0) text += "  ";
      if (columns_[i].right) {
        text += fmt::format("{:>{}}", cell, widths[i]);
      } else if (i + 1 == columns_.size()) {
        text += cell;  // nothing follows that it would have to be apart from
      } else {
        text += fmt::format("{:<{}}", cell, widths[i]);
      }
    }
    text += '\n';
  };
  add_line([&](std::size_t i) -> const std::string& { return columns_[i].heading; });
  for (const auto& row : rows_) add_line([&](std::size_t i) -> const std::string& { return row[i]; });
  return text;
}

std::string ZfsTable::scripted() const {
  std::string text;
  for (const auto& row : rows_) text += fmt::format("{}\n", fmt::join(row, "\t"));
  return text;
}

}  // namespace blkpress::tool
