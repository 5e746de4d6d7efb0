#include "blkpress/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace blkpress::tool {
namespace {

// A full disk has a status of its own.
ErrorKind kind_of(int problem) { return problem == ENOSPC || problem == EDQUOT ? ErrorKind::no_space : ErrorKind::io; }

Status write_all(int descriptor, std::string_view text, std::string_view target) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return Error{kind_of(errno), fmt::format("cannot write to {}: {}", target, std::strerror(errno))};
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return ok();
}

Error cannot(std::string_view verb, const std::string& path) {
  return {kind_of(errno), fmt::format("cannot {} {}: {}", verb, path, std::strerror(errno))};
}

// Writes to a descriptor that is closed in any case; some filesystems report a full disk only then.
Status write_and_close(int descriptor, std::string_view text, const std::string& path) {
  Status status = write_all(descriptor, text, path);
  if (::close(descriptor) != 0 && status) return cannot("write to", path);
  return status;
}

Status write_directly(const std::string& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot("open", path);
  return write_and_close(descriptor, text, path);
}

// What a symbolic link leads to; the path itself when it is none. A link that leads nowhere yet is followed too.
std::string link_target(std::string path) {
  for (int depth = 0; depth < 40; ++depth) {
    std::array<char, 4096> buffer{};
    const ssize_t size = ::readlink(path.c_str(), buffer.data(), buffer.size());
    if (size <= 0) break;
    const std::string link(buffer.data(), static_cast<std::size_t>(size));
    path = link.starts_with('/') ? link : path.substr(0, path.rfind('/') + 1) + link;
  }
  return path;
}

// On the same filesystem; short, so that a name of the greatest length works too.
std::string temporary_beside(const std::string& target) {
  return target.substr(0, target.rfind('/') + 1) + ".blkpress.XXXXXX";
}

}  // namespace

Status write_standard_output(std::string_view text) { return write_all(STDOUT_FILENO, text, "standard output"); }

Status check_output(const std::string& path) {
  if (path.empty()) return ok();
  struct stat existing {};
  const bool exists = ::stat(path.c_str(), &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode)) {
    // A pipe without a reader would wait.
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 && errno != ENXIO) return cannot("open", path);
    if (descriptor >= 0) ::close(descriptor);
    return ok();
  }
  std::string temporary = temporary_beside(link_target(path));
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return cannot("create", path);
  ::close(descriptor);
  ::unlink(temporary.c_str());
  return ok();
}

Status write_output(const std::string& path, std::string_view text) {
  if (path.empty()) return write_standard_output(text);
  struct stat existing {};
  const bool exists = ::stat(path.c_str(), &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode)) return write_directly(path, text);
  const std::string target = link_target(path);
  std::string temporary = temporary_beside(target);
  const int descriptor = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (descriptor < 0) return cannot("create", path);
  // mkostemp makes files that only their owner may read; results follow the umask like any other new file.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t mode = exists ? existing.st_mode & 07777 : 0666 & ~mask;
  const bool permitted = ::fchmod(descriptor, mode) == 0;
  Status status = write_and_close(descriptor, text, path);
  if (status && !permitted) status = cannot("set the permissions of", path);
  if (status && ::rename(temporary.c_str(), target.c_str()) != 0) status = cannot("create", path);
  if (!status) ::unlink(temporary.c_str());
  return status;
}

}  // namespace blkpress::tool
