// The versions that a result depends on: ours and those of the codec libraries.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace blkpress::tool {

// {"blkpress", "0.1.0"}, then one entry for each library behind a codec, in the order of the codecs.
std::vector<std::pair<std::string, std::string>> versions();

}  // namespace blkpress::tool
