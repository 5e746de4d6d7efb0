// Experiments: published measurements as data, and their replay.
//
// An experiment is a folder of data/experiments: experiment.toml (world, runs), published.csv (every figure with its
// class and bar), fio job files. A new experiment is a new folder, no C++. Threads: replay() may run in any thread; it
// uses that one only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blkpress/result.hpp"
#include "blkpress/sim/figure.hpp"

namespace blkpress::sim {

struct ExperimentInfo {
  std::string id;     // "vps-zfs-fio"
  std::string title;  // one line
  std::string path;   // its folder
};

// The experiments in a data folder, sorted by id. Errors: io; usage for one that does not parse, with file and line.
Result<std::vector<ExperimentInfo>> list_experiments(const std::string& data_directory);

struct ReplayOptions {
  std::string data_directory;
  std::vector<std::string> experiments;  // ids; empty: all. An unknown one is a usage error that lists the known ones
  std::uint64_t seed = 1;
  std::vector<std::string> without;  // names of mechanisms to leave out (ablation)
  // PART.KEY=VALUE (sim/world_setting.hpp): another world than the documents', whose figures are compared, not judged.
  std::vector<std::string> set = {};
};

// What a run printed, for those who want to read it as the document shows it.
struct RunOutput {
  std::string experiment;
  std::string name;  // "write zstd"
  std::string text;  // fio's normal output, dd's or cp's lines, zfs list
  std::string json;  // fio's JSON output; of other programs: empty
};

struct ReplayResult {
  std::vector<Figure> figures;  // in the order of the documents
  std::vector<RunOutput> outputs;
  std::vector<std::string> statements;  // what was sampled, calibrated, assumed: one line each
  std::uint64_t seed = 1;
  std::string digest;  // of every event time and result: equal on every machine
  std::uint64_t events = 0;
};

Result<ReplayResult> replay(const ReplayOptions& options);

}  // namespace blkpress::sim
