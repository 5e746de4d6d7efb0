// lint: what the data of fio jobs really compress to.
#include <fmt/format.h>

#include "blkpress/command.hpp"
#include "blkpress/fio_lint.hpp"
#include "blkpress/json.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/sim/fio_job.hpp"
#include "blkpress/sim/table.hpp"
#include "blkpress/text_file.hpp"
#include "blkpress/versions.hpp"

namespace blkpress::tool {
namespace {

struct Request {
  std::vector<std::string> job_files;
  FioLintOptions lint;
  std::uint64_t sample_mib = 32;
  std::uint64_t fio_minor = 33;
  std::string format = "text";
  std::string output;
};

// One section of a job file: its numjobs copies write alike.
struct LintedJob {
  std::string name;
  FioLint lint;
};

Result<bool> parse(const Arguments& arguments, Request& request) {
  Options options("lint",
                  "Makes the data that fio jobs would write, compresses them under the rules of zfs, and compares the "
                  "ratios\nwith what the jobs' options ask for. No disk is touched.");
  options.positionals(request.job_files, "JOBFILE", "fio job file", true);
  options.list("--compression", request.lint.compressions, "LIST", "codecs, as in blkpress codecs");
  options.list("--recordsize", request.lint.recordsizes, "LIST", "record sizes");
  options.text("--ashift", request.lint.ashift, "N", "sectors of 2^N bytes");
  options.number("--sample", request.sample_mib, 1, 1024, "MiB of each job's file that are tried");
  options.number("--fio-version", request.fio_minor, 0, 1000,
                 "N of fio 3.N: how it fills buffers changed in 3.31 and 3.32");
  options.choice("--format", request.format, {"text", "json", "csv"}, "form of the result");
  options.text("--output", request.output, "FILE", "write it there instead of to standard output");
  options.examples(
      "Examples:\n"
      "  blkpress lint randwrite.fio\n"
      "  blkpress lint --compression lz4,lzjb --recordsize 8K,128K jobs.fio\n\n"
      "Exit status: 0 the data are what was asked for, 1 a ratio differs by more than a tenth, 2 usage, 3 I/O.");
  return options.parse(arguments);
}

Result<std::vector<LintedJob>> lint_file(const std::string& path, const Request& request) {
  const auto text = read_text_file(path, "job file");
  if (!text) return text.error();
  sim::FioParse parse;
  parse.fill = fio_fill_of_3(static_cast<int>(request.fio_minor));
  const auto jobs = sim::parse_fio_file(*text, path, parse);
  if (!jobs) return jobs.error();
  std::vector<LintedJob> linted;
  for (const sim::FioJob& job : jobs->jobs) {
    if (job.copy != 0) continue;
    auto lint = lint_fio_job(job.io, request.lint);
    if (!lint) return Error{lint.error().kind, fmt::format("{}: job {}: {}", path, job.name, lint.error().message)};
    linted.push_back({job.name, std::move(*lint)});
  }
  if (linted.empty()) return Error{ErrorKind::usage, fmt::format("{}: no job", path)};
  return linted;
}

std::string asked_text(const FioLint& lint) { return lint.asked ? fmt::format("{:.2f}x", *lint.asked) : "-"; }

sim::Table table_of(const std::vector<LintedJob>& jobs) {
  sim::Table table({{"job"}, {"compression"}, {"recordsize"}, {"asked"}, {"ratio"}, {"holes"}, {""}});
  for (const LintedJob& job : jobs) {
    for (const FioLintCell& cell : job.lint.cells) {
      table.add_row({job.name, cell.compression, cell.recordsize, asked_text(job.lint),
                     fmt::format("{:.2f}x", cell.ratio), fmt::format("{:.1f}%", 100 * cell.hole_share),
                     cell.misleading ? "differs" : ""});
    }
  }
  return table;
}

std::string text_of(const std::vector<LintedJob>& jobs) {
  std::string text = table_of(jobs).text();
  for (const LintedJob& job : jobs) {
    text += fmt::format("\n{}: {} MiB tried; asked for by {}", job.name, job.lint.bytes / kMiB, job.lint.because);
    if (!job.lint.hint.empty())
      text += fmt::format("\n  this job measures fio's buffers, not the disk: {}", job.lint.hint);
  }
  return text + "\n\nratio: logical / stored, of records that are not holes.\n";
}

std::string json_of(const std::vector<LintedJob>& jobs) {
  Json json = {{"jobs", Json::array()}};
  for (const LintedJob& job : jobs) {
    Json cells = Json::array();
    for (const FioLintCell& cell : job.lint.cells) {
      cells.push_back({{"compression", cell.compression},
                       {"recordsize", cell.recordsize},
                       {"ratio", cell.ratio},
                       {"hole_share", cell.hole_share},
                       {"differs", cell.misleading}});
    }
    json["jobs"].push_back({{"name", job.name},
                            {"asked", job.lint.asked ? Json(*job.lint.asked) : Json(nullptr)},
                            {"because", job.lint.because},
                            {"bytes", job.lint.bytes},
                            {"hint", job.lint.hint},
                            {"cells", std::move(cells)}});
  }
  json["versions"] = versions_json();
  return json_text(json);
}

}  // namespace

Result<ExitStatus> command_lint(const Arguments& arguments) {
  Request request;
  const auto go_on = parse(arguments, request);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  BLKPRESS_TRY(check_output(request.output));
  request.lint.sample_bytes = request.sample_mib * kMiB;
  std::vector<LintedJob> jobs;
  for (const std::string& path : request.job_files) {
    auto linted = lint_file(path, request);
    if (!linted) return linted.error();
    for (LintedJob& job : *linted) jobs.push_back(std::move(job));
  }
  BLKPRESS_TRY(write_output(request.output, request.format == "json"  ? json_of(jobs)
                                            : request.format == "csv" ? table_of(jobs).csv()
                                                                      : text_of(jobs)));
  for (const LintedJob& job : jobs) {
    for (const FioLintCell& cell : job.lint.cells) {
      if (cell.misleading) return ExitStatus::check_failed;
    }
  }
  return ExitStatus::done;
}

}  // namespace blkpress::tool
