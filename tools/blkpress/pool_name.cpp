#include "blkpress/pool_name.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

namespace blkpress::tool {

bool is_file_or_device(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode));
}

std::string PoolName::label(std::string_view within) const {
  if (within.empty()) return file;
  return within.front() == '@' ? file + std::string(within) : file + "/" + std::string(within);
}

Result<PoolName> parse_pool_name(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return Error{ErrorKind::usage, "name has a zero byte in it"};
  for (std::size_t end = text.size();;) {
    const std::string file(text.substr(0, end));
    if (!file.empty() && is_file_or_device(file)) {
      std::string_view rest = text.substr(end);
      if (!rest.empty() && rest.front() == '/') {
        rest.remove_prefix(1);
        if (rest.empty() || rest.front() == '@' || rest.front() == '/' || rest.back() == '/') {
          return Error{ErrorKind::usage, fmt::format("'{}' has an empty part behind {}", text, file)};
        }
      }
      return PoolName{file, std::string(rest)};
    }
    end = end == 0 ? std::string_view::npos : text.find_last_of("/@", end - 1);
    if (end == std::string_view::npos) break;
  }
  return Error{ErrorKind::usage,
               fmt::format("'{}' names no pool: no leading path of it is a file or a block device", text)};
}

Result<PoolName> parse_dataset_name(std::string_view text) {
  auto name = parse_pool_name(text);
  if (name && name->is_snapshot()) {
    return Error{ErrorKind::usage, fmt::format("'{}' is a snapshot; a dataset is needed", text)};
  }
  return name;
}

}  // namespace blkpress::tool
