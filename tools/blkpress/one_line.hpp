// Makes a message fit for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace blkpress::tool {

// text in one line, whatever a file is called: control characters and bytes that are not UTF-8 are escaped, and of a
// value (in quotes, or a word without spaces) of more than 200 characters the middle is left out.
std::string one_line(std::string_view text);

}  // namespace blkpress::tool
