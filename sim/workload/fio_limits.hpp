// What of fio is simulated: everything else is refused by name.
#pragma once

#include <string>

#include "blkpress/result.hpp"
#include "blkpress/sim/fio_job.hpp"
#include "blkpress/sim/world.hpp"

namespace blkpress::sim {

// ok, or what the workload cannot do for this job in this world. name: of the job file, for the message. Errors: usage.
Status check_fio_job(const FioJob& job, const World& world, const std::string& name);

}  // namespace blkpress::sim
