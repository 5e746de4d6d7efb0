// What check and scrub print of a pool.
#pragma once

#include "blkpress/command.hpp"
#include "blkpress/pool.hpp"

namespace blkpress::tool {

// read: every copy was read. Writes to standard output: done, or check_failed when there are problems.
Result<ExitStatus> write_check_report(const std::string& file, const CheckReport& report, bool read, bool json);

}  // namespace blkpress::tool
