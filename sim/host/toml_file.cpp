#include "host/toml_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace blkpress::sim {

Result<toml::table> read_toml(const std::string& path) {
  std::ifstream file(path);
  if (!file) return Error{ErrorKind::io, fmt::format("host file {} cannot be read", path)};
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return toml::parse(text.str(), path);
  } catch (const toml::parse_error& error) {
    return Error{ErrorKind::usage, fmt::format("{}:{}: {}", path, error.source().begin.line, error.description())};
  }
}

}  // namespace blkpress::sim
