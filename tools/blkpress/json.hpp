// JSON as the command prints it: keys in the order of the contract, two spaces of indent, always valid UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "blkpress/versions.hpp"

namespace blkpress::tool {

using Json = nlohmann::ordered_json;

// Bytes that are not UTF-8 (they occur in file names) become U+FFFD.
inline std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

inline Json versions_json() {
  Json json = Json::object();
  for (const auto& [name, version] : versions()) json[name] = version;
  return json;
}

}  // namespace blkpress::tool
