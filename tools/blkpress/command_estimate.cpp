#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "blkpress/command.hpp"
#include "blkpress/estimate.hpp"
#include "blkpress/estimate_report.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/progress.hpp"
#include "blkpress/size_format.hpp"

namespace blkpress::tool {
namespace {

constexpr std::size_t kProblemsPrintedMax = 20;

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
  options.list("--policy", request.policies, "LIST", "filesystems: zfs");
  options.list("--compression", request.compressions, "LIST",
               "as compression= takes them, see blkpress codecs [lz4,zstd-3]");
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
      "  blkpress estimate --as volume --recordsize 8K,16K --vdev raidz1:4 disk.img\n\n"
      "Exit status: 0 done, 1 something below a path could not be read (named on standard error), 2 usage, 3 I/O.");
  return options.parse(arguments);
}

Result<std::vector<Property>> parse_settings(const Request& request) {
  std::vector<Property> properties;
  for (const std::string& setting : request.settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorKind::usage, fmt::format("--set '{}' is not NAME=VALUE", setting)};
    }
    properties.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
  }
  if (request.layout != "file") properties.push_back({"layout", request.layout});
  if (request.exact_reasons) properties.push_back({"exact_reasons", "on"});
  return properties;
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
  EstimateRow row;
  row.compression = compression;
  for (const Property& property : (*policy)->properties()) {
    if (property.name != "recordsize" && property.name != "volblocksize" && property.name != "ashift") continue;
    const auto value = parse_size(property.value);
    BLKPRESS_ASSERT(value.has_value());
    (property.name == "ashift" ? row.ashift : row.recordsize) = *value;
  }
  matrix.cells.push_back(cell);
  matrix.rows.push_back(row);
  return ok();
}

Result<Matrix> make_matrix(const Request& request) {
  auto settings = parse_settings(request);
  if (!settings) return settings.error();
  const bool volume = request.layout == "volume";
  const auto or_default = [](const std::vector<std::string>& asked, std::vector<std::string> otherwise) {
    return asked.empty() ? std::move(otherwise) : asked;
  };
  const auto compressions = or_default(request.compressions, {"lz4", "zstd-3"});
  const auto recordsizes = or_default(request.recordsizes, volume ? std::vector<std::string>{"8K", "16K", "64K"}
                                                                  : std::vector<std::string>{"16K", "128K", "1M"});
  const bool all_asked_for = !request.compressions.empty() && !request.recordsizes.empty();
  Matrix matrix;
  std::optional<Error> first_refusal;
  for (const std::string& policy : request.policies) {
    for (const std::string& vdev : request.vdevs) {
      for (const std::string& ashift : request.ashifts) {
        for (const std::string& recordsize : recordsizes) {
          for (const std::string& compression : compressions) {
            EstimateCell cell{policy, *settings};
            cell.properties.push_back({"compression", compression});
            cell.properties.push_back({volume ? "volblocksize" : "recordsize", recordsize});
            cell.properties.push_back({"ashift", ashift});
            cell.properties.push_back({"vdev", vdev});
            BLKPRESS_TRY(add_cell(matrix, cell, compression, all_asked_for, first_refusal));
          }
        }
      }
    }
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
  auto matrix = make_matrix(request);
  if (!matrix) return matrix.error();

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
