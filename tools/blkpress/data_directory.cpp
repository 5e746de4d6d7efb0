#include "blkpress/data_directory.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace blkpress::tool {
namespace {

bool directory_exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored);
}

}  // namespace

Result<std::string> find_data_directory(const std::string& given) {
  if (!given.empty()) {
    if (!directory_exists(given)) return Error{ErrorKind::io, fmt::format("--data {}: no such directory", given)};
    return given;
  }
  if (const char* named = std::getenv("BLKPRESS_DATA"); named != nullptr && *named != '\0') {
    if (!directory_exists(named))
      return Error{ErrorKind::io, fmt::format("BLKPRESS_DATA={}: no such directory", named)};
    return std::string(named);
  }
  std::error_code problem;
  const auto command = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) {
    const auto installed = command.parent_path().parent_path() / "share" / "blkpress";
    if (directory_exists(installed / "experiments")) return installed.string();
  }
  if (directory_exists(BLKPRESS_DATA_DIR)) return std::string(BLKPRESS_DATA_DIR);
  return Error{ErrorKind::io,
               fmt::format("no data directory: {} is gone; give --data DIR or set BLKPRESS_DATA", BLKPRESS_DATA_DIR)};
}

}  // namespace blkpress::tool
