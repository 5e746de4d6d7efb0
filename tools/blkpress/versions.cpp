#include "blkpress/versions.hpp"

#include <algorithm>

#include "blkpress/codec.hpp"

namespace blkpress::tool {

std::vector<std::pair<std::string, std::string>> versions() {
  std::vector<std::pair<std::string, std::string>> list = {{"blkpress", BLKPRESS_VERSION}};
  for (const CodecInfo& codec : codecs()) {
    const std::string version = codec.library_version();
    if (version.empty()) continue;  // our own
    const bool listed = std::any_of(list.begin(), list.end(), [&](const auto& e) { return e.first == codec.library; });
    if (!listed) list.emplace_back(codec.library, version);
  }
  return list;
}

}  // namespace blkpress::tool
