// The function of each workload, declared from workloads.def.
#pragma once

#include "blkpress/sim/workload.hpp"

namespace blkpress::sim {

#define BLKPRESS_WORKLOAD(name, description) \
  Result<WorkloadResult> run_##name(World& world, WorkloadSettings& settings);
#include "workload/workloads.def"
#undef BLKPRESS_WORKLOAD

// For workloads that hand whole records over: ok, or that the world's filesystem takes pages. Errors: usage.
Status require_records(const World& world, std::string_view workload);

}  // namespace blkpress::sim
