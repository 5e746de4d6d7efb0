// Small text files that people write: experiments, hosts, devices, job files.
//
// Threads: a pure function but for reading the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "blkpress/bytes.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

// The whole content of a regular file of at most max_bytes. what: for messages, such as "job file". Errors: io, when it
// cannot be read or is no regular file; usage, when it is larger.
Result<std::string> read_text_file(const std::string& path, const std::string& what,
                                   std::uint64_t max_bytes = 16 * kMiB);

// Errors: usage, when a line has more than 1000 dots. A TOML key of so many parts nests tables so deeply that a parser
// may run out of stack. path: for the message, "path:line: …".
Status check_dots(std::string_view text, const std::string& path);

}  // namespace blkpress
