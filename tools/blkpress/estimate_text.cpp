#include <fmt/format.h>

#include <algorithm>

#include "blkpress/estimate_report.hpp"
#include "blkpress/sim/table.hpp"
#include "blkpress/size_format.hpp"

namespace blkpress::tool {
namespace {

using sim::Column;

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "-";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// All records, holes included.
std::uint64_t logical_of_all(const Ledger& ledger) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kRecordReasonCount; ++i) sum += ledger.of(static_cast<RecordReason>(i)).lsize;
  return sum;
}

bool occurs(const EstimateReport& report, RecordReason reason) {
  return std::any_of(report.rows.begin(), report.rows.end(),
                     [&](const EstimateRow& row) { return row.cell->ledger.of(reason).records > 0; });
}

// "btrfs zstd:3" where the rows are of several policies.
std::string compression_of(const EstimateReport& report, const EstimateRow& row) {
  const bool several = std::any_of(report.rows.begin(), report.rows.end(), [&](const EstimateRow& other) {
    return other.cell->policy != report.rows.front().cell->policy;
  });
  return several ? row.cell->policy + ' ' + row.compression : row.compression;
}

std::string sizes_table(const EstimateReport& report) {
  constexpr auto kRight = Column::Align::right;
  sim::Table table({{"compression"},
                    {"recordsize", kRight},
                    {"ashift", kRight},
                    {"logical", kRight},
                    {"stored", kRight},
                    {"allocated", kRight},
                    {"used", kRight},
                    {"ratio", kRight},
                    {"saved", kRight},
                    {"compressratio", kRight}});
  for (const EstimateRow& row : report.rows) {
    const Ledger& ledger = row.cell->ledger;
    const BlockSums& data = ledger.data();
    table.add_row({compression_of(report, row), format_size(row.recordsize, SizeUnit::bare),
                   fmt::format("{}", row.ashift), format_size(data.lsize), format_size(data.psize),
                   format_size(data.asize), format_size(ledger.used()), fmt::format("{:.2f}x", row.ratio()),
                   percent(data.lsize - std::min(data.lsize, data.psize), data.lsize),
                   format_ratio(ledger.compressratio_x100())});
  }
  return table.text(2);
}

std::string reasons_table(const EstimateReport& report) {
  constexpr auto kRight = Column::Align::right;
  std::vector<Column> columns = {{"compression"}, {"recordsize", kRight}, {"ashift", kRight}};
  std::vector<RecordReason> reasons;
  for (std::size_t i = 0; i < kRecordReasonCount; ++i) {
    const auto reason = static_cast<RecordReason>(i);
    if (!occurs(report, reason)) continue;
    reasons.push_back(reason);
    columns.push_back({std::string(describe(reason)), kRight});
  }
  columns.push_back({"padding", kRight});
  sim::Table table(columns);
  for (const EstimateRow& row : report.rows) {
    const Ledger& ledger = row.cell->ledger;
    std::vector<std::string> cells = {compression_of(report, row), format_size(row.recordsize, SizeUnit::bare),
                                      fmt::format("{}", row.ashift)};
    std::uint64_t padding = 0;
    for (const RecordReason reason : reasons) {
      cells.push_back(percent(ledger.of(reason).lsize, logical_of_all(ledger)));
      padding += ledger.of(reason).padding;
    }
    cells.push_back(format_size(padding));
    table.add_row(std::move(cells));
  }
  return table.text(2);
}

std::string scan_lines(const EstimateResult& result) {
  std::string text = fmt::format("{}, {} ({} bytes)\n", counted(result.files, "file", "files"),
                                 format_size(result.bytes), result.bytes);
  std::vector<std::string> notes;
  const auto note = [&notes](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) notes.push_back(counted(count, one, many));
  };
  note(result.skips.symbolic_links, "symbolic link", "symbolic links");
  note(result.skips.special_files, "pipe, socket or device", "pipes, sockets and devices");
  note(result.skips.hard_links, "further name of a file with hard links", "further names of files with hard links");
  note(result.skips.other_filesystems, "mount point", "mount points");
  note(result.skips.repeated_paths, "path inside another one", "paths inside others");
  if (!notes.empty()) text += fmt::format("passed over: {}\n", fmt::join(notes, ", "));
  if (result.unreadable > 0) text += fmt::format("not read: {}\n", counted(result.unreadable, "path", "paths"));
  if (result.unwritten > 0) text += fmt::format("never written (sparse): {}\n", format_size(result.unwritten));
  if (result.grown > 0) text += fmt::format("grew while they were read: {}\n", counted(result.grown, "file", "files"));
  return text;
}

// What all rows have in common besides the axes.
std::string properties_line(const EstimateReport& report) {
  std::string text = "policy " + report.rows.front().cell->policy;
  for (const Property& property : report.rows.front().cell->properties) {
    if (property.name == "compression" || property.name == "recordsize" || property.name == "volblocksize" ||
        property.name == "ashift" || property.name == "compress" || property.name == "compress_algorithm") {
      continue;
    }
    text += fmt::format(", {} {}", property.name, property.value);
  }
  return text + '\n';
}

}  // namespace

double EstimateRow::ratio() const {
  const BlockSums& data = cell->ledger.data();
  return data.psize == 0 ? 1.0 : static_cast<double>(data.lsize) / static_cast<double>(data.psize);
}

std::string estimate_text(const EstimateReport& report) {
  std::string text = scan_lines(*report.result) + properties_line(report) + '\n' + sizes_table(report);
  text += "\nwhy, by share of logical bytes:\n" + reasons_table(report);
  text +=
      "\nlogical, stored, allocated: data blocks alone, before and after compression, and with padding, parity and "
      "copies.\nratio: logical / stored.";
  if (report.rows.front().cell->policy == "zfs") {
    return text + " used, compressratio: of one dataset with these files, metadata included, as zfs get prints it.\n";
  }
  return text + " used, compressratio: of these files alone, see docs/estimate.md.\n";
}

std::string estimate_csv(const EstimateReport& report) {
  std::vector<Column> columns;
  for (const char* title : {"policy", "compression", "recordsize", "ashift", "files", "bytes", "lsize", "psize",
                            "asize", "ratio", "compressratio", "used", "logicalused"}) {
    columns.push_back({title});
  }
  for (std::size_t i = 0; i < kRecordReasonCount; ++i) {
    const std::string reason(to_string(static_cast<RecordReason>(i)));
    columns.push_back({reason + "_records"});
    columns.push_back({reason + "_lsize"});
    columns.push_back({reason + "_asize"});
  }
  sim::Table table(columns);
  for (const EstimateRow& row : report.rows) {
    const Ledger& ledger = row.cell->ledger;
    std::vector<std::string> cells = {row.cell->policy, row.compression};
    for (const std::uint64_t value : {row.recordsize, row.ashift, ledger.objects(), ledger.bytes(), ledger.data().lsize,
                                      ledger.data().psize, ledger.data().asize}) {
      cells.push_back(fmt::format("{}", value));
    }
    cells.push_back(fmt::format("{:.4f}", row.ratio()));
    cells.push_back(format_ratio(ledger.compressratio_x100(), true));
    cells.push_back(fmt::format("{}", ledger.used()));
    cells.push_back(fmt::format("{}", ledger.logicalused()));
    for (std::size_t i = 0; i < kRecordReasonCount; ++i) {
      const ReasonSums& sums = ledger.of(static_cast<RecordReason>(i));
      for (const std::uint64_t value : {sums.records, sums.lsize, sums.asize})
        cells.push_back(fmt::format("{}", value));
    }
    table.add_row(std::move(cells));
  }
  return table.csv();
}

}  // namespace blkpress::tool
