// What `zfs list` and `zfs get compressratio` print for the datasets that an experiment's runs filled.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "blkpress/result.hpp"
#include "blkpress/sim/workload.hpp"
#include "experiment/experiment_file.hpp"

namespace blkpress::sim {

// The files that one run wrote.
struct RunFiles {
  std::string run;
  std::vector<ObjectSums> files;
};

struct ListedNumber {
  std::string config;
  PrintedNumber number;  // "zfs.REFER" as printed, "5.52M"
};

struct ZfsList {
  std::vector<ListedNumber> numbers;
  std::string text;
};

// Errors: usage: a dataset that names a run which does not exist.
Result<ZfsList> zfs_list(const ListedPool& pool, std::span<const RunFiles> runs);

}  // namespace blkpress::sim
