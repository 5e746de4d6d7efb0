#include <fmt/format.h>

#include <array>
#include <string>

#include "blkpress/sim/workload.hpp"
#include "workload/workload_runs.hpp"

namespace blkpress::sim {

namespace {

constexpr std::array kWorkloads = {
#define BLKPRESS_WORKLOAD(name, description) WorkloadInfo{#name, description, &run_##name},
#include "workload/workloads.def"
#undef BLKPRESS_WORKLOAD
};

}  // namespace

std::span<const WorkloadInfo> workloads() { return kWorkloads; }

Status require_records(const World& world, std::string_view workload) {
  if (world.page_cache == nullptr) return ok();
  return Error{ErrorKind::usage,
               fmt::format("workload {} is not simulated on filesystem {}", workload, world.options.filesystem)};
}

Result<WorkloadResult> run_workload(std::string_view name, World& world, WorkloadSettings& settings) {
  std::string names;
  for (const WorkloadInfo& workload : kWorkloads) {
    if (workload.name == name) return workload.run(world, settings);
    names += (names.empty() ? "" : ", ") + std::string(workload.name);
  }
  return Error{ErrorKind::usage, fmt::format("workload {} is unknown; there are {}", name, names)};
}

}  // namespace blkpress::sim
