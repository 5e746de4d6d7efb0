// Workloads: what a user ran. The registry is workloads.def.
//
// A workload runs in a World, from its start at time zero until nothing is left to happen, and reports every number
// that the real program would have printed, by the names that published.csv uses. Threads: that of the World.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blkpress/ledger.hpp"
#include "blkpress/result.hpp"
#include "blkpress/sim/fio_statistics.hpp"
#include "blkpress/sim/world.hpp"

namespace blkpress::sim {

// The settings of one run, as an experiment's file or the command line gives them.
class WorkloadSettings {
 public:
  // source: what error messages name, such as "experiment.toml: run 'write lz4'". folder: where relative paths start.
  WorkloadSettings(std::string source, std::string folder, std::vector<std::pair<std::string, std::string>> values)
      : source_(std::move(source)), folder_(std::move(folder)), values_(std::move(values)) {}

  [[nodiscard]] std::string text(std::string_view key, std::optional<std::string> otherwise = {});
  [[nodiscard]] double number(std::string_view key, double low, double high, std::optional<double> otherwise = {});
  [[nodiscard]] std::uint64_t count(std::string_view key, std::uint64_t low, std::uint64_t high,
                                    std::optional<std::uint64_t> otherwise = {});
  [[nodiscard]] std::string path(std::string_view key);
  [[nodiscard]] bool has(std::string_view key) const;
  // The first error among all that was read, or that of a setting that nobody asked for.
  [[nodiscard]] Status status() const;

 private:
  const std::string* find(std::string_view key);
  void fail(std::string message);

  std::string source_;
  std::string folder_;
  std::vector<std::pair<std::string, std::string>> values_;
  std::vector<std::string> known_;
  std::string error_;
};

struct PrintedNumber {
  std::string metric;     // "dd.seconds"
  std::string value;      // as the program prints it
  std::string unit = {};  // the one printed beside it, where the program chooses it by size: "usec", "MiB/s"
};

struct WorkloadResult {
  std::vector<PrintedNumber> numbers;
  std::vector<PrintedNumber> options;  // fio: what the job file asks for, "fio.option.bs"
  std::string text;                    // what the program printed
  std::string json = {};               // fio's JSON output of the same run; of other programs: empty
  std::vector<std::string> notes;      // what else is worth knowing, one sentence each
  std::optional<FioGroup> fio;
  std::vector<ObjectSums> files;  // what was written, as the filesystem accounts for it
  std::uint64_t records_compressed_for_real = 0;
  std::uint64_t records = 0;
};

struct WorkloadInfo {
  std::string_view name;
  std::string_view description;
  Result<WorkloadResult> (*run)(World& world, WorkloadSettings& settings);
};

std::span<const WorkloadInfo> workloads();

// Runs the workload of that name. Errors: usage, with the names that exist, or a setting that is wrong.
Result<WorkloadResult> run_workload(std::string_view name, World& world, WorkloadSettings& settings);

}  // namespace blkpress::sim
