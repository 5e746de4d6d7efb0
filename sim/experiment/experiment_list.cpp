#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "blkpress/sim/experiment.hpp"
#include "experiment/experiment_file.hpp"

namespace blkpress::sim {

Result<std::vector<ExperimentInfo>> list_experiments(const std::string& data_directory) {
  const std::filesystem::path folder = std::filesystem::path(data_directory) / "experiments";
  std::error_code error;
  std::vector<ExperimentInfo> experiments;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;  // a loop of links, a folder that may not be read: no experiment
    if (!std::filesystem::exists(entry->path() / "experiment.toml", ignored)) continue;
    const auto experiment = load_experiment(entry->path().string(), data_directory);
    if (!experiment) return experiment.error();
    experiments.push_back({experiment->id, experiment->title, experiment->folder});
  }
  if (error) return Error{ErrorKind::io, fmt::format("{}: {}", folder.string(), error.message())};
  if (experiments.empty()) return Error{ErrorKind::io, fmt::format("{} holds no experiment", folder.string())};
  std::sort(experiments.begin(), experiments.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return experiments;
}

}  // namespace blkpress::sim
