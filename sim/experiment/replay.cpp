#include <fmt/format.h>

#include <algorithm>

#include "blkpress/sim/digest.hpp"
#include "blkpress/sim/experiment.hpp"
#include "blkpress/sim/world_setting.hpp"
#include "experiment/ablation.hpp"
#include "experiment/comparison.hpp"
#include "experiment/experiment_file.hpp"
#include "experiment/zfs_list.hpp"

namespace blkpress::sim {

namespace {

// demerit17 may be so large, in percent: writes; a read's depends on how often it stalls.
constexpr double kWriteDemeritBar = 12;
constexpr double kReadDemeritBar = 40;

class Replayer {
 public:
  Replayer(const ReplayOptions& options, ReplayResult& result) : options_(options), result_(result) {}

  Status replay(Experiment experiment) {
    for (const std::string& name : options_.without) BLKPRESS_TRY(remove_mechanism(name, experiment));
    for (const std::string& setting : options_.set) BLKPRESS_TRY(apply_world_setting(setting, experiment.world));
    auto published = load_published_figures(experiment.folder + "/published.csv");
    if (!published) return published.error();
    parts_.clear();
    files_.clear();
    add_inputs(experiment);
    for (const ExperimentRun& run : experiment.runs) BLKPRESS_TRY(simulate(experiment, run, *published));
    if (experiment.pool) BLKPRESS_TRY(list(experiment));
    for (const std::string& statement : experiment.statements) {
      result_.statements.push_back(fmt::format("{} ({})", statement, experiment.id));
    }
    for (Figure& figure : compare(std::move(*published), parts_, experiment.id, experiment.system)) {
      if (!options_.set.empty()) figure.pass = std::nullopt;
      result_.figures.push_back(std::move(figure));
    }
    return ok();
  }

  [[nodiscard]] std::string digest() const { return digest_.to_string(); }

 private:
  SimulatedPart& part(const std::string& name, const std::string& config) {
    for (SimulatedPart& candidate : parts_) {
      if (candidate.part == name && candidate.config == config) return candidate;
    }
    return parts_.emplace_back(SimulatedPart{name, config, {}, std::nullopt});
  }

  // "part/config/metric" = value: what the experiment takes from the document.
  void add_inputs(const Experiment& experiment) {
    for (const auto& [name, value] : experiment.inputs) {
      const std::size_t last = name.rfind('/');
      const std::size_t first = name.find('/');
      if (last == std::string::npos || first == last) continue;
      part(name.substr(0, first), name.substr(first + 1, last - first - 1))
          .numbers.push_back({name.substr(last + 1), value});
    }
  }

  Status simulate(const Experiment& experiment, const ExperimentRun& run,
                  const std::vector<PublishedFigure>& published) {
    const std::string where = fmt::format("{}/experiment.toml: run '{}'", experiment.folder, run.name);
    WorldOptions options = experiment.world;
    options.seed = options_.seed;
    std::vector<Property> properties = experiment.zfs;
    properties.insert(properties.end(), run.zfs.begin(), run.zfs.end());
    const auto zfs = ZfsOptions::parse(properties);
    if (!zfs) return Error{zfs.error().kind, where + ": " + zfs.error().message};
    options.zfs = *zfs;
    options.btrfs = run.btrfs;
    options.f2fs = run.f2fs;
    if (!run.filesystem.empty()) options.filesystem = run.filesystem;
    const auto world = World::make(options);
    if (!world) return world.error();
    WorkloadSettings settings(where, experiment.folder, run.settings);
    auto result = run_workload(run.workload, **world, settings);
    if (!result) return result.error();
    result_.events += (*world)->scheduler.events();
    add_to_digest(run, **world, *result);
    state(experiment, run, *result);
    result_.outputs.push_back({experiment.id, run.name, result->text, result->json});
    files_.push_back({run.name, result->files});
    if (result->fio) {
      // Of a document with several job files, or with one.
      part("", "jobfile " + result->fio->name).numbers = result->options;
      part("", "jobfile").numbers = result->options;
    }
    SimulatedPart& target = part(run.part, run.config);
    target.numbers.insert(target.numbers.end(), result->numbers.begin(), result->numbers.end());
    target.fio = std::move(result->fio);
    const bool reads = target.fio && (*target.fio)[FioDirection::read].ios > 0;
    const double bar = reads ? kReadDemeritBar : kWriteDemeritBar;
    if (const auto percent = demerit(published, target)) {
      result_.statements.push_back(fmt::format("demerit17 of {}: {:.1f} %, bar {:.0f} %: {} ({})", run.name, *percent,
                                               bar, *percent <= bar ? "inside" : "outside", experiment.id));
    }
    return ok();
  }

  void add_to_digest(const ExperimentRun& run, const World& world, const WorkloadResult& result) {
    digest_.add(run.name);
    digest_.add(world.scheduler.events());
    digest_.add(static_cast<std::uint64_t>(world.scheduler.now().ns));
    for (const PrintedNumber& number : result.numbers) {
      digest_.add(number.metric);
      digest_.add(number.value);
    }
  }

  void state(const Experiment& experiment, const ExperimentRun& run, const WorkloadResult& result) {
    result_.statements.push_back(fmt::format("{}: {} of {} records compressed for real ({})", run.name,
                                             result.records_compressed_for_real, result.records, experiment.id));
    for (const std::string& note : result.notes) {
      result_.statements.push_back(fmt::format("{}: {} ({})", run.name, note, experiment.id));
    }
  }

  Status list(const Experiment& experiment) {
    auto list = zfs_list(*experiment.pool, files_);
    if (!list) return Error{list.error().kind, experiment.folder + "/experiment.toml: " + list.error().message};
    for (const ListedNumber& line : list->numbers) {
      part(experiment.pool->part, line.config).numbers.push_back(line.number);
    }
    digest_.add(list->text);
    result_.outputs.push_back({experiment.id, "zfs list", std::move(list->text), {}});
    return ok();
  }

  const ReplayOptions& options_;
  ReplayResult& result_;
  Digest digest_;
  std::vector<SimulatedPart> parts_;
  std::vector<RunFiles> files_;
};

Result<std::vector<std::string>> chosen_folders(const ReplayOptions& options) {
  const auto known = list_experiments(options.data_directory);
  if (!known) return known.error();
  std::vector<std::string> folders;
  for (const std::string& id : options.experiments) {
    const auto same = std::find_if(known->begin(), known->end(), [&](const auto& info) { return info.id == id; });
    if (same == known->end()) {
      std::string names;
      for (const ExperimentInfo& info : *known) names += (names.empty() ? "" : ", ") + info.id;
      return Error{ErrorKind::usage, fmt::format("experiment '{}' is unknown; there are {}", id, names)};
    }
    folders.push_back(same->path);
  }
  if (options.experiments.empty()) {
    for (const ExperimentInfo& info : *known) folders.push_back(info.path);
  }
  return folders;
}

}  // namespace

Result<ReplayResult> replay(const ReplayOptions& options) {
  const auto folders = chosen_folders(options);
  if (!folders) return folders.error();
  ReplayResult result;
  result.seed = options.seed;
  Replayer replayer(options, result);
  for (const std::string& folder : *folders) {
    auto experiment = load_experiment(folder, options.data_directory);
    if (!experiment) return experiment.error();
    BLKPRESS_TRY(replayer.replay(std::move(*experiment)));
  }
  result.digest = replayer.digest();
  return result;
}

}  // namespace blkpress::sim
