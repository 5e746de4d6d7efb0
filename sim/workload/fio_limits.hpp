// What of fio is simulated: everything else is refused by name.
#pragma once

#include <string>
#include <vector>

#include "blkpress/result.hpp"
#include "blkpress/sim/fio_job.hpp"
#include "blkpress/sim/world.hpp"

namespace blkpress::sim {

// Whether a filesystem behind the page cache compresses what the job writes.
struct FioCompression {
  std::string state = {};    // which state ran, one sentence without its period
  std::string refused = {};  // not empty: it would, and that is not simulated
};
FioCompression fio_compression(const FioJob& job, const World& world);

// What a reader of the result should know of how the job was taken, a sentence each.
std::vector<std::string> fio_notes(const FioJob& job, const World& world);

// ok, or what the workload cannot do for this job in this world. name: of the job file, for the message. Errors: usage.
Status check_fio_job(const FioJob& job, const World& world, const std::string& name);

}  // namespace blkpress::sim
