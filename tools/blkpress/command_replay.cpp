#include <fmt/format.h>

#include <set>

#include "blkpress/command.hpp"
#include "blkpress/data_directory.hpp"
#include "blkpress/json.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/progress.hpp"
#include "blkpress/sim/experiment.hpp"
#include "blkpress/sim/replay_report.hpp"
#include "blkpress/sim/table.hpp"
#include "blkpress/versions.hpp"

namespace blkpress::tool {
namespace {

struct Request {
  std::vector<std::string> experiments;
  bool all = false;
  bool list = false;
  bool all_figures = false;
  bool outputs = false;
  bool fio_json = false;
  std::string format = "text";
  std::string output;
  std::string data;
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  std::vector<std::string> without;
  std::vector<std::string> set;
};

Result<bool> parse(const Arguments& arguments, Request& request) {
  Options options("replay",
                  "Replays published experiments in virtual time and prints each published "
                  "figure beside the simulated\n"
                  "one. The same command prints the same bytes on every machine.");
  options.positionals(request.experiments, "ID", "experiments; --list names them", false);
  options.flag("--all", request.all, "every experiment");
  options.flag("--list", request.list, "list the experiments and stop");
  options.choice("--format", request.format, {"text", "json", "csv"}, "form of the result");
  options.text("--output", request.output, "FILE", "write it there instead of to standard output");
  options.flag("--all-figures,--verbose", request.all_figures, "text: figures of every class, not of evidence alone");
  options.flag("--outputs", request.outputs, "text: also what each simulated run would have printed");
  options.flag("--fio-json", request.fio_json, "as --outputs, with fio's JSON output in place of its normal one");
  options.number("--seed", request.seed, 0, UINT64_MAX, "of all random numbers");
  options.number("--seeds", request.seeds, 1, 1000, "run N seeds from --seed on and print the range of each figure");
  options.list("--without", request.without, "MECHANISM,...", "leave mechanisms out, to see what they explain");
  options.list("--set", request.set, "PART.KEY=VALUE,...",
               "what if the device, host or filesystem were another: device.mb_s=200, host.cores=4; nothing is judged");
  options.text("--data", request.data, "DIR", "directory with experiments, hosts and devices");
  options.examples(
      "Examples:\n"
      "  blkpress replay --all\n"
      "  blkpress replay freebsd-zfs-dd --all-figures\n"
      "  blkpress replay --all --format json --output replay.json\n\n"
      "Exit status: 0 done, also when figures miss their bars: a miss is a "
      "result; 2 usage or a damaged experiment, 3 I/O.");
  auto go_on = options.parse(arguments);
  if (!go_on || !*go_on) return go_on;
  if (request.all && !request.experiments.empty()) {
    return Error{ErrorKind::usage, fmt::format("--all and '{}': give one or the other", request.experiments.front())};
  }
  if (request.list && (request.all || !request.experiments.empty())) {
    return Error{ErrorKind::usage, fmt::format("--list and {}: the list names every experiment; give one or the other",
                                               request.all ? "--all" : '\'' + request.experiments.front() + '\'')};
  }
  if ((request.outputs || request.fio_json) && request.format != "text") {
    return Error{ErrorKind::usage, fmt::format("{} goes with --format text, not {}",
                                               request.outputs ? "--outputs" : "--fio-json", request.format)};
  }
  if (request.seeds - 1 > UINT64_MAX - request.seed) {
    return Error{ErrorKind::usage, fmt::format("--seed {} --seeds {}: the last seed is above {}", request.seed,
                                               request.seeds, UINT64_MAX)};
  }
  std::set<std::string> seen;
  std::erase_if(request.experiments, [&seen](const std::string& id) { return !seen.insert(id).second; });
  if (!request.all && !request.list && request.experiments.empty()) {
    return Error{ErrorKind::usage,
                 "replay: name experiments or give --all "
                 "(blkpress replay --list names them)"};
  }
  return true;
}

Result<ExitStatus> list(const Request& request, const std::string& data_directory) {
  auto experiments = sim::list_experiments(data_directory);
  if (!experiments) return experiments.error();
  std::string text;
  if (request.format == "json") {
    Json json = {{"experiments", Json::array()}};
    for (const auto& experiment : *experiments) {
      json["experiments"].push_back({{"id", experiment.id}, {"title", experiment.title}});
    }
    json["versions"] = versions_json();
    text = json_text(json);
  } else if (request.format == "csv") {
    sim::Table table({{"id"}, {"title"}});
    for (const auto& experiment : *experiments) table.add_row({experiment.id, experiment.title});
    text = table.csv();
  } else {
    for (const auto& experiment : *experiments) text += fmt::format("{:<16} {}\n", experiment.id, experiment.title);
  }
  BLKPRESS_TRY(write_output(request.output, text));
  return ExitStatus::done;
}

// Runs every seed; the report is that of the first, with the ranges of all.
Result<sim::ReplayReport> run(const Request& request, const std::string& data_directory, std::string& outputs) {
  sim::ReplayReport report;
  report.seed = request.seed;
  report.seeds = request.seeds;
  report.without = request.without;
  report.set = request.set;
  report.versions = versions();
  std::vector<std::vector<sim::Figure>> runs;
  Progress progress;
  for (std::uint64_t i = 0; i < request.seeds; ++i) {
    if (progress.due()) progress.show(fmt::format("replaying seed {} of {}", i + 1, request.seeds));
    auto result = sim::replay({.data_directory = data_directory,
                               .experiments = request.experiments,
                               .seed = request.seed + i,
                               .without = request.without,
                               .set = request.set});
    if (!result) return result.error();
    runs.push_back(result->figures);
    if (i > 0) continue;
    report.figures = std::move(result->figures);
    report.statements = std::move(result->statements);
    report.digest = result->digest;
    report.events = result->events;
    for (const auto& output : result->outputs) {
      outputs += fmt::format("== {}: {}\n{}\n", output.experiment, output.name,
                             request.fio_json && !output.json.empty() ? output.json : output.text);
    }
  }
  if (request.seeds > 1) report.ranges = sim::seed_ranges(runs);
  return report;
}

Status add_titles(const std::string& data_directory, sim::ReplayReport& report) {
  auto experiments = sim::list_experiments(data_directory);
  if (!experiments) return experiments.error();
  std::set<std::string> replayed;
  for (const sim::Figure& figure : report.figures) replayed.insert(figure.experiment);
  for (const auto& experiment : *experiments) {
    if (replayed.contains(experiment.id)) report.titles.emplace_back(experiment.id, experiment.title);
  }
  return ok();
}

}  // namespace

Result<ExitStatus> command_replay(const Arguments& arguments) {
  Request request;
  auto go_on = parse(arguments, request);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  auto data_directory = find_data_directory(request.data);
  if (!data_directory) return data_directory.error();
  if (request.list) return list(request, *data_directory);
  BLKPRESS_TRY(check_output(request.output));

  std::string outputs;
  auto report = run(request, *data_directory, outputs);
  if (!report) return report.error();
  BLKPRESS_TRY(add_titles(*data_directory, *report));
  std::string text = request.format == "json"  ? sim::replay_json(*report)
                     : request.format == "csv" ? sim::replay_csv(*report)
                                               : sim::replay_text(*report, {.all_figures = request.all_figures});
  if (request.outputs || request.fio_json) text = outputs + text;
  BLKPRESS_TRY(write_output(request.output, text));
  return ExitStatus::done;
}

}  // namespace blkpress::tool
