#include "policy/golden_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <tuple>

#include "blkpress/corpus.hpp"

namespace blkpress::test {

GoldenRow::GoldenRow(const std::map<std::string, std::size_t>* columns, std::vector<std::string> fields)
    : columns_(columns), fields_(std::move(fields)) {}

const std::string& GoldenRow::text(const std::string& column) const { return fields_.at(columns_->at(column)); }

std::uint64_t GoldenRow::number(const std::string& column) const { return std::stoull(text(column)); }

std::string GoldenRow::name() const {
  return fmt::format("{} {} {} recordsize {} ashift {} {}", text("file"), text("mode"), text("compression"),
                     text("recordsize"), text("ashift"), text("vdev"));
}

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

struct Table {
  std::map<std::string, std::size_t> columns;
  std::vector<GoldenRow> rows;
};

void read(Table& table, const std::string& path) {
  std::ifstream file(path);
  std::string line;
  BLKPRESS_ASSERT(std::getline(file, line));
  for (const std::string& column : split(line)) table.columns.emplace(column, table.columns.size());
  while (std::getline(file, line)) table.rows.emplace_back(&table.columns, split(line));
}

}  // namespace

const std::vector<GoldenRow>& golden_rows(const std::string& name) {
  static std::map<std::string, Table> tables;
  Table& table = tables[name];
  if (table.rows.empty()) read(table, std::string(BLKPRESS_GOLDEN_DIR) + "/" + name);
  return table.rows;
}

ZfsOptions options_of(const GoldenRow& row) {
  const bool volume = row.text("mode") == "zvol";
  const Property properties[] = {{"layout", volume ? "volume" : "file"},
                                 {"compression", row.text("compression")},
                                 {volume ? "volblocksize" : "recordsize", row.text("recordsize")},
                                 {"ashift", row.text("ashift")},
                                 {"vdev", row.text("vdev")}};
  auto options = ZfsOptions::parse(properties);
  BLKPRESS_ASSERT(options.has_value());
  return *options;
}

ByteView corpus_bytes(const std::string& name) {
  static std::map<std::string, std::vector<std::byte>> files;
  std::vector<std::byte>& file = files[name];
  if (file.empty()) file = corpus_file(name);
  return file;
}

Stored store(const ZfsOptions& options, ByteView content) {
  auto made = ZfsPolicy::make(options);
  BLKPRESS_ASSERT(made.has_value());
  const Policy& policy = **made;
  const auto decider = policy.make_decider();
  const auto account = policy.make_account();
  const std::uint32_t unit = policy.unit_bytes(content.size());
  account->begin(content.size());
  for (std::size_t at = 0; at < content.size(); at += unit) {
    account->add(decider->decide(content.subspan(at, std::min<std::size_t>(unit, content.size() - at)), unit));
  }
  Stored stored{account->finish(), Ledger(policy.empty_dataset())};
  stored.ledger.add(stored.sums);
  return stored;
}

const Stored& store(const GoldenRow& row) {
  const ZfsOptions options = options_of(row);
  static std::map<std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>, Stored>
      kept;
  const auto key = std::make_tuple(row.text("file"), row.text("mode"), to_string(options.compression),
                                   row.text("recordsize"), row.text("ashift"), row.text("vdev"));
  const auto found = kept.find(key);
  if (found != kept.end()) return found->second;
  return kept.emplace(key, store(options, corpus_bytes(row.text("file")))).first->second;
}

}  // namespace blkpress::test
