#include "experiment/csv.hpp"

#include <fmt/format.h>

namespace blkpress::sim {

namespace {

// Reads one field from the front of text, up to the comma or line end behind it. false: the quoting is broken.
bool take_field(std::string_view& text, std::string& field) {
  field.clear();
  if (!text.starts_with('"')) {
    const std::size_t end = std::min(text.find_first_of(",\n"), text.size());
    field = text.substr(0, end);
    text.remove_prefix(end);
    return field.find('"') == std::string::npos;
  }
  text.remove_prefix(1);
  while (true) {
    const std::size_t quote = text.find('"');
    if (quote == std::string_view::npos) return false;
    field += text.substr(0, quote);
    text.remove_prefix(quote + 1);
    if (!text.starts_with('"')) break;
    field += '"';
    text.remove_prefix(1);
  }
  return text.empty() || text[0] == ',' || text[0] == '\n';
}

}  // namespace

Result<std::vector<CsvRow>> parse_csv(std::string_view text, std::string_view name) {
  std::vector<CsvRow> rows;
  std::size_t line = 0;
  while (!text.empty()) {
    CsvRow row{++line, {}};
    bool more = true;
    while (more) {
      std::string field;
      const std::string_view before = text;
      if (!take_field(text, field)) {
        return Error{ErrorKind::usage, fmt::format("{}:{}: a quote in the wrong place", name, row.line)};
      }
      for (const char c : before.substr(0, before.size() - text.size())) line += c == '\n' ? 1 : 0;
      if (field.ends_with('\r')) field.pop_back();
      row.fields.push_back(std::move(field));
      more = text.starts_with(',');
      if (!text.empty()) text.remove_prefix(1);
    }
    if (!rows.empty() && row.fields.size() != rows[0].fields.size()) {
      return Error{ErrorKind::usage, fmt::format("{}:{}: {} fields where the header has {}", name, row.line,
                                                 row.fields.size(), rows[0].fields.size())};
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace blkpress::sim
