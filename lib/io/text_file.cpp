#include "blkpress/text_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace blkpress {

Result<std::string> read_text_file(const std::string& path, const std::string& what, std::uint64_t max_bytes) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return Error{ErrorKind::io, fmt::format("{} {} cannot be read", what, path)};
  }
  if (!std::filesystem::is_regular_file(status)) {
    return Error{ErrorKind::io, fmt::format("{} {} is not a regular file", what, path)};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorKind::io, fmt::format("{} {} cannot be read", what, path)};
  // The size is not trusted: the file may grow, and files of /proc say 0.
  std::string text(max_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Error{ErrorKind::io, fmt::format("{} {} cannot be read", what, path)};
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > max_bytes) {
    return Error{ErrorKind::usage, fmt::format("{} {} is longer than {} bytes", what, path, max_bytes)};
  }
  return text;
}

Status check_dots(std::string_view text, const std::string& path) {
  std::size_t line = 1;
  std::size_t dots = 0;
  for (const char c : text) {
    if (c == '\n') ++line, dots = 0;
    if (c == '.' && ++dots > 1000) {
      return Error{ErrorKind::usage, fmt::format("{}:{}: a line with more than 1000 dots", path, line)};
    }
  }
  return ok();
}

}  // namespace blkpress
