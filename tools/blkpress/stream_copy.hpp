// Copies what one BlockFile holds to another: holes stay holes, and the terminal sees how far it is.
#pragma once

#include <functional>
#include <string>

#include "blkpress/block_file.hpp"
#include "blkpress/pool.hpp"

namespace blkpress::tool {

// Copies bytes [0, size of source) to the same places. punch is called for ranges that are holes in the source; unset:
// the target reads as zeros there already. Errors: of both.
Status copy_stream(BlockFile& source, BlockFile& target, const std::string& what,
                   const std::function<Status(std::uint64_t offset, std::uint64_t length)>& punch = {});

}  // namespace blkpress::tool
