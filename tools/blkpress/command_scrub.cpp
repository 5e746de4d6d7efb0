// scrub: reads everything in a pool and heals what it can.
#include "blkpress/check_report.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_scrub(const Arguments& arguments) {
  return check_pool(
      arguments, "scrub",
      "Does what check does, reads every copy of every block, and writes damaged copies anew from the good ones.",
      true);
}

}  // namespace blkpress::tool
