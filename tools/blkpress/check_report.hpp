// What check and scrub have in common: all but whether every copy is read.
#pragma once

#include <string_view>

#include "blkpress/command.hpp"
#include "blkpress/pool.hpp"

namespace blkpress::tool {

// Runs `blkpress <verb>` and prints what it found. scrub: reads every copy, and heals. Done, or check_failed when there
// are problems.
Result<ExitStatus> check_pool(const Arguments& arguments, std::string_view verb, std::string_view description,
                              bool scrub);

}  // namespace blkpress::tool
