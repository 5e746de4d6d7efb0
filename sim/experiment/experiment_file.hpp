// experiment.toml: the world of a published measurement and its runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blkpress/result.hpp"
#include "blkpress/sim/world.hpp"

namespace blkpress::sim {

using TextSettings = std::vector<std::pair<std::string, std::string>>;

struct ExperimentRun {
  std::string name;           // "write zstd"
  std::string part;           // of published.csv
  std::string config;         // of published.csv
  std::string workload;       // of workloads.def
  std::string filesystem;     // of filesystems(); empty: the world's
  std::vector<Property> zfs;  // on top of the experiment's
  BtrfsOptions btrfs;
  F2fsOptions f2fs;
  TextSettings settings;
};

// One line of `zfs list`: a dataset that holds what a run wrote.
struct ListedDataset {
  std::string name;
  std::string config;
  std::string run;
  // compressratio as the document prints it: the sizes are those of data that compress so, whatever the run's own data
  // did. Unset: as the run's data did.
  std::optional<double> ratio = std::nullopt;
};

// A pool whose sizes the document prints. Sizes in bytes; inputs.
struct ListedPool {
  std::string name;
  std::string mountpoint;
  std::string part;
  std::string config;
  std::uint64_t space = 0;          // that datasets may use
  std::uint64_t metadata = 0;       // of the pool itself, counted in its used
  std::uint64_t root_dataset = 0;   // what the pool's own dataset refers to
  std::uint64_t empty_dataset = 0;  // what a dataset without files costs
  std::vector<ListedDataset> datasets;
};

struct Experiment {
  std::string id;
  std::string title;
  std::string folder;
  std::string system;
  WorldOptions world;         // without compression, seed and files' absolute paths resolved
  std::vector<Property> zfs;  // properties of every run
  std::vector<ExperimentRun> runs;
  std::optional<ListedPool> pool;
  // What the document says of its world, by "part/config/metric": the config figures.
  TextSettings inputs;
  std::vector<std::string> statements;
};

// Reads <folder>/experiment.toml; hosts and devices are looked up in data_directory. Errors: io; usage, with file and
// line.
Result<Experiment> load_experiment(const std::string& folder, const std::string& data_directory);

}  // namespace blkpress::sim
