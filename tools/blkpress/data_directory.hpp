// Where experiments, hosts and devices are.
#pragma once

#include <string>

#include "blkpress/result.hpp"

namespace blkpress::tool {

// The given directory (--data), else $BLKPRESS_DATA, else share/blkpress beside the installed command, else the source
// tree that this was built from. Errors: io, when it is no directory.
Result<std::string> find_data_directory(const std::string& given);

}  // namespace blkpress::tool
