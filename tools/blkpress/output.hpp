// Where results go: standard output, or a file that appears whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "blkpress/result.hpp"

namespace blkpress::tool {

// Writes and flushes. Errors: no_space, when the disk is full; io, when not all of it could be written for
// another reason (a closed descriptor). A closed pipe
// ends the process by SIGPIPE, as it does for other commands, unless the caller ignores that signal.
Status write_standard_output(std::string_view text);

// Writes text to path by way of a temporary file beside it, so that a reader never sees half of it; a device such as
// /dev/null is written directly. An empty path means standard output. Errors: io, no_space.
Status write_output(const std::string& path, std::string_view text);

// Whether write_output could write there as things are, without writing anything: asked before work that takes time, so
// that it is not lost. Errors: as of write_output.
Status check_output(const std::string& path);

}  // namespace blkpress::tool
