#include "host/toml_file.hpp"

#include <fmt/format.h>

#include "blkpress/text_file.hpp"

namespace blkpress::sim {

Result<toml::table> read_toml(const std::string& path) {
  const auto text = read_text_file(path, "file");
  if (!text) return text.error();
  BLKPRESS_TRY(check_dots(*text, path));
  try {
    return toml::parse(*text, path);
  } catch (const toml::parse_error& error) {
    return Error{ErrorKind::usage, fmt::format("{}:{}: {}", path, error.source().begin.line, error.description())};
  }
}

}  // namespace blkpress::sim
