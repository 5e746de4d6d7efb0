#include "blkpress/sim/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "blkpress/result.hpp"

namespace blkpress::sim {
namespace {

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string escaped(std::string_view cell) {
  std::string text;
  for (const char c : cell) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      text += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text;
}

// The first width characters at most, the last of them "…" when something is left out.
std::string shortened(std::string cell, std::size_t width) {
  if (width == 0 || display_width(cell) <= width) return cell;
  std::size_t characters = 0;
  std::size_t end = 0;
  while (end < cell.size()) {
    if (!continues_character(cell[end]) && characters++ == width - 1) break;
    ++end;
  }
  cell.resize(end);
  return cell + "…";
}

void append_cell(std::string& line, const std::string& cell, std::size_t width, Column::Align align) {
  const std::size_t fill = width - std::min(width, display_width(cell));
  if (align == Column::Align::right) line.append(fill, ' ');
  line += cell;
  if (align == Column::Align::left) line.append(fill, ' ');
}

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

void Table::add_row(std::vector<std::string> cells) {
  BLKPRESS_ASSERT(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::size_t indent) const {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) lines[0].push_back(column.title);
  for (const auto& row : rows_) {
    auto& line = lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) line.push_back(shortened(escaped(row[i]), columns_[i].width_max));
  }
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], display_width(line[i]));
  }
  std::string text;
  for (const auto& cells : lines) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      append_cell(line, cells[i], widths[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string Table::csv() const {
  std::string text;
  const auto append = [&text](const auto& cells, const auto& to_text) {
    bool first = true;
    for (const auto& cell : cells) {
      if (!first) text += ',';
      first = false;
      text += csv_cell(to_text(cell));
    }
    text += '\n';
  };
  append(columns_, [](const Column& column) { return column.title; });
  for (const auto& row : rows_) append(row, [](const std::string& cell) { return cell; });
  return text;
}

}  // namespace blkpress::sim
