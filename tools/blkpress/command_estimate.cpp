#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <thread>

#include "blkpress/command.hpp"
#include "blkpress/estimate.hpp"
#include "blkpress/estimate_report.hpp"
#include "blkpress/one_line.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/progress.hpp"
#include "blkpress/size_format.hpp"

namespace blkpress::tool {
namespace {

constexpr std::size_t kProblemsPrintedMax = 20;

// A table that a reader can still look through; every row costs memory for each thread.
constexpr std::uint64_t kRowsMax = 1000;

struct Request {
  std::vector<std::string> paths;
  std::vector<std::string> policies = {"zfs"};
  std::vector<std::string> compressions;
  std::vector<std::string> recordsizes;
  std::vector<std::string> ashifts = {"12"};
  std::vector<std::string> vdevs = {"file"};
  std::vector<std::string> settings;
  std::string layout = "file";
  bool exact_reasons = false;
  bool cross_filesystems = false;
  std::uint64_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::string format = "text";
  std::string output;
};

// The cells, and for each what was asked for in the words of the user.
struct Matrix {
  std::vector<EstimateCell> cells;
  std::vector<EstimateRow> rows;
};

Result<bool> parse(const Arguments& arguments, Request& request) {
  Options options(
      "estimate",
      "What a filesystem would store for these files, exactly and without writing anything: every record is\n"
      "compressed for real. Each file is read once, whatever is asked.");
  options.positionals(request.paths, "PATH", "files and directories", true);
  options.list("--policy", request.policies, "LIST", "filesystems: zfs, btrfs, f2fs, vdo");
  options.list("--compression", request.compressions, "LIST",
               "as the filesystem spells them: zfs, see blkpress codecs [lz4,zstd-3]; btrfs [lzo,zlib:3,zstd:3]; f2fs "
               "[lz4,zstd]");
  options.list("--recordsize", request.recordsizes, "LIST",
               "of a volume: volblocksize [16K,128K,1M; volume: 8K,16K,64K]");
  options.list("--ashift", request.ashifts, "LIST", "sectors of 2^N bytes");
  options.list("--vdev", request.vdevs, "LIST", "file, mirror:2, raidz1:3, raidz2:6, ...");
  options.choice("--as", request.layout, {"file", "volume"}, "one dataset of files, or each file a volume");
  options.list("--set", request.settings, "NAME=VALUE,...", "further properties of the policy: version=2.1,copies=2");
  options.flag("--exact-reasons", request.exact_reasons,
               "compress raw records again to tell why they stayed raw (costs CPU)");
  options.flag("--cross-filesystems", request.cross_filesystems, "enter directories on other filesystems");
  options.number("--threads", request.threads, 1, 1024, "that compress; the result does not depend on it");
  options.choice("--format", request.format, {"text", "json", "csv"}, "form of the result");
  options.text("--output", request.output, "FILE", "write it there instead of to standard output");
  options.examples(
      "Examples:\n"
      "  blkpress estimate /srv/data\n"
      "  blkpress estimate --compression lz4,gzip-6,zstd-3 --recordsize 128K,1M --format json /srv/data\n"
      "  blkpress estimate --as volume --recordsize 8K,16K --vdev raidz1:4 disk.img\n"
      "  blkpress estimate --policy btrfs --set compress-force=zstd:3 /srv/data\n"
      "  blkpress estimate --policy f2fs --set compress_extension=* /srv/data\n\n"
      "Exit status: 0 done, 1 something below a path could not be read (named on standard error), 2 usage, 3 I/O.");
  return options.parse(arguments);
}

// Properties with an option of their own: --set would be overruled by it in silence.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOptionsOfProperties = {
    {{"compression", "--compression"},
     {"recordsize", "--recordsize"},
     {"volblocksize", "--recordsize with --as volume"},
     {"ashift", "--ashift"},
     {"vdev", "--vdev"},
     {"layout", "--as"},
     {"exact_reasons", "--exact-reasons"}}};

Result<std::vector<Property>> parse_settings(const Request& request) {
  std::vector<Property> properties;
  for (const std::string& setting : request.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorKind::usage, fmt::format("--set '{}' is not NAME=VALUE", setting)};
    }
    const std::string name = setting.substr(0, equals);
    for (const auto& [property, option] : kOptionsOfProperties) {
      if (name == property) return Error{ErrorKind::usage, fmt::format("--set '{}': use {}", setting, option)};
    }
    for (const Property& property : properties) {
      if (property.name == name) return Error{ErrorKind::usage, fmt::format("--set names {} twice", name)};
    }
    properties.push_back({name, setting.substr(equals + 1)});
  }
  if (request.layout != "file") properties.push_back({"layout", request.layout});
  if (request.exact_reasons) properties.push_back({"exact_reasons", "on"});
  return properties;
}

std::string setting(const EstimateCell& cell, std::string_view name) {
  for (const Property& property : cell.properties) {
    if (property.name == name) return property.value;
  }
  return {};
}

// Adds one cell. Refused combinations of default values are left out, those that were asked for are an error.
Status add_cell(Matrix& matrix, const EstimateCell& cell, const std::string& compression, bool all_asked_for,
                std::optional<Error>& first_refusal) {
  const auto policy = make_policy(cell.policy, cell.properties);
  if (!policy) {
    if (all_asked_for) return policy.error();
    if (!first_refusal) first_refusal = policy.error();
    return ok();
  }
  // Of a policy without records and sectors of a chosen size: what it compresses at a time, and its blocks of 4 KiB.
  EstimateRow row{.compression = compression, .recordsize = (*policy)->max_unit_bytes(), .ashift = 12};
  for (const Property& property : (*policy)->properties()) {
    if (property.name != "recordsize" && property.name != "volblocksize" && property.name != "ashift") continue;
    const auto value = parse_size(property.value);
    BLKPRESS_ASSERT(value.has_value());
    (property.name == "ashift" ? row.ashift : row.recordsize) = *value;
  }
  // The same question in other words (128K, 131072) is answered once.
  for (std::size_t i = 0; i < matrix.cells.size(); ++i) {
    const EstimateRow& other = matrix.rows[i];
    if (matrix.cells[i].policy == cell.policy && other.compression == compression &&
        other.recordsize == row.recordsize && other.ashift == row.ashift &&
        setting(matrix.cells[i], "vdev") == setting(cell, "vdev")) {
      return ok();
    }
  }
  matrix.cells.push_back(cell);
  matrix.rows.push_back(row);
  return ok();
}

const PolicyInfo* policy_named(std::string_view name) {
  for (const PolicyInfo& policy : policies()) {
    if (policy.name == name) return &policy;
  }
  return nullptr;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// Record sizes, sectors and vdevs are axes of zfs alone. A codec that --set names (compress-force=zstd) stands in place
// of the usual ones.
Status add_policy(Matrix& matrix, const Request& request, const std::string& name,
                  const std::vector<Property>& settings, std::optional<Error>& first_refusal) {
  const PolicyInfo* info = policy_named(name);
  if (info == nullptr) return make_policy(name, settings).error();
  std::vector<std::string> compressions = request.compressions;
  if (compressions.empty()) {
    for (const Property& setting : settings) {
      if (!setting.name.starts_with(info->compression_property)) continue;
      return add_cell(matrix, {name, settings}, setting.value, true, first_refusal);
    }
    compressions = split(info->usual_compressions);
  }
  const auto add = [&](std::vector<Property> properties, const std::string& compression, bool all_asked_for) {
    properties.insert(properties.begin(), settings.begin(), settings.end());
    properties.push_back({std::string(info->compression_property), compression});
    return add_cell(matrix, {name, properties}, compression, all_asked_for, first_refusal);
  };
  if (name != "zfs") {
    for (const std::string& compression : compressions)
      BLKPRESS_TRY(add({}, compression, !request.compressions.empty()));
    return ok();
  }
  const bool volume = request.layout == "volume";
  std::vector<std::string> recordsizes = request.recordsizes;
  if (recordsizes.empty()) recordsizes = split(volume ? "8K,16K,64K" : "16K,128K,1M");
  const bool all_asked_for = !request.compressions.empty() && !request.recordsizes.empty();
  for (const std::string& vdev : request.vdevs) {
    for (const std::string& ashift : request.ashifts) {
      for (const std::string& recordsize : recordsizes) {
        for (const std::string& compression : compressions) {
          BLKPRESS_TRY(add({{volume ? "volblocksize" : "recordsize", recordsize}, {"ashift", ashift}, {"vdev", vdev}},
                           compression, all_asked_for));
        }
      }
    }
  }
  return ok();
}

// Leaves the first of equal items.
void keep_first(std::vector<std::string>& items) {
  std::set<std::string> seen;
  std::erase_if(items, [&seen](const std::string& item) { return !seen.insert(item).second; });
}

// Repeated items are dropped before the rows are counted. Errors: usage, when more rows are asked for than a table
// takes.
Status limit_rows(Request& request) {
  std::uint64_t rows = 1;
  for (std::vector<std::string>* items :
       {&request.policies, &request.compressions, &request.recordsizes, &request.ashifts, &request.vdevs}) {
    keep_first(*items);
    // Saturates: five lists of a command line cannot overflow it otherwise.
    rows = std::min<std::uint64_t>(rows, UINT32_MAX) * std::max<std::uint64_t>(1, items->size());
  }
  if (rows <= kRowsMax) return ok();
  return Error{ErrorKind::usage,
               fmt::format("estimate: {} rows (every combination of the lists) are asked for; at most "
                           "{} are answered at once",
                           rows, kRowsMax)};
}

Result<Matrix> make_matrix(const Request& request) {
  auto settings = parse_settings(request);
  if (!settings) return settings.error();
  Matrix matrix;
  std::optional<Error> first_refusal;
  for (const std::string& policy : request.policies) {
    BLKPRESS_TRY(add_policy(matrix, request, policy, *settings, first_refusal));
  }
  if (matrix.cells.empty()) return *first_refusal;
  return matrix;
}

void print_problems(const EstimateResult& result) {
  const std::size_t printed = std::min(result.problems.size(), kProblemsPrintedMax);
  for (std::size_t i = 0; i < printed; ++i) {
    std::fprintf(stderr, "blkpress: %s\n", one_line(result.problems[i].message).c_str());
  }
  if (result.unreadable > printed) {
    std::fprintf(stderr, "blkpress: and %llu more\n", static_cast<unsigned long long>(result.unreadable - printed));
  }
}

}  // namespace

Result<ExitStatus> command_estimate(const Arguments& arguments) {
  Request request;
  auto go_on = parse(arguments, request);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  BLKPRESS_TRY(limit_rows(request));
  auto matrix = make_matrix(request);
  if (!matrix) return matrix.error();

  BLKPRESS_TRY(check_output(request.output));
  EstimateOptions options;
  options.paths = request.paths;
  options.cells = matrix->cells;
  options.threads = static_cast<unsigned>(request.threads);
  options.tree.cross_filesystems = request.cross_filesystems;
  Result<EstimateResult> result = [&] {
    Progress progress;
    options.progress = [&progress](const EstimateProgress& done) {
      if (!progress.due()) return;
      progress.show(
          fmt::format("{} files, {}, {}/s", done.files, format_size(done.bytes),
                      format_size(static_cast<std::uint64_t>(static_cast<double>(done.bytes) / progress.seconds()))));
    };
    return estimate(options);
  }();
  if (!result) return result.error();

  EstimateReport report{&*result, matrix->rows};
  for (std::size_t i = 0; i < report.rows.size(); ++i) report.rows[i].cell = &result->cells[i];
  print_problems(*result);
  const std::string text = request.format == "json"  ? estimate_json(report)
                           : request.format == "csv" ? estimate_csv(report)
                                                     : estimate_text(report);
  BLKPRESS_TRY(write_output(request.output, text));
  return result->unreadable > 0 ? ExitStatus::check_failed : ExitStatus::done;
}

}  // namespace blkpress::tool
