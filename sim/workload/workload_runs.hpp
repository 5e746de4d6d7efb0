// The function of each workload, declared from workloads.def.
#pragma once

#include "blkpress/sim/workload.hpp"

namespace blkpress::sim {

#define BLKPRESS_WORKLOAD(name, description) \
  Result<WorkloadResult> run_##name(World& world, WorkloadSettings& settings);
#include "workload/workloads.def"
#undef BLKPRESS_WORKLOAD

}  // namespace blkpress::sim
