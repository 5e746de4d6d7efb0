#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "blkpress/block_file.hpp"

namespace blkpress {
namespace {

class PosixFile final : public BlockFile {
 public:
  PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  ~PosixFile() override { ::close(descriptor_); }

  Result<std::uint64_t> size() override {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) return failed("look at");
    if (!S_ISBLK(status.st_mode)) return static_cast<std::uint64_t>(status.st_size);
    const off_t end = ::lseek(descriptor_, 0, SEEK_END);
    if (end < 0) return failed("look at");
    return static_cast<std::uint64_t>(end);
  }

  Result<std::size_t> read(std::uint64_t offset, ByteSpan target) override {
    std::size_t done = 0;
    while (done < target.size()) {
      if (offset + done > kOffsetMax) return done;  // no file is as long as that
      const ssize_t n =
          ::pread(descriptor_, target.data() + done, target.size() - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failed("read");
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  Status write(std::uint64_t offset, ByteView source) override {
    while (!source.empty()) {
      if (offset > kOffsetMax) return Error{ErrorKind::no_space, fmt::format("cannot write {}: too large", path_)};
      const ssize_t n = ::pwrite(descriptor_, source.data(), source.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failed("write");
      source = source.subspan(static_cast<std::size_t>(n));
      offset += static_cast<std::uint64_t>(n);
    }
    return ok();
  }

  Status write_parts(std::uint64_t offset, std::span<const ByteView> parts) override {
    while (!parts.empty()) {
      std::array<iovec, 64> vectors;
      const std::size_t count = std::min(parts.size(), vectors.size());
      std::size_t bytes = 0;
      for (std::size_t i = 0; i < count; ++i) {
        vectors[i] = {const_cast<std::byte*>(parts[i].data()), parts[i].size()};  // iovec is for reading, too
        bytes += parts[i].size();
      }
      if (offset > kOffsetMax) return Error{ErrorKind::no_space, fmt::format("cannot write {}: too large", path_)};
      const ssize_t n = ::pwritev(descriptor_, vectors.data(), static_cast<int>(count), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return failed("write");
      // Seldom are fewer bytes written than asked for: those parts go on one by one.
      std::uint64_t at = offset, done = static_cast<std::uint64_t>(n);
      offset += bytes;
      for (const ByteView part : parts.first(done < bytes ? count : 0)) {
        const std::uint64_t here = std::min<std::uint64_t>(part.size(), done);
        BLKPRESS_TRY(write(at + here, part.subspan(here)));
        at += part.size();
        done -= here;
      }
      parts = parts.subspan(count);
    }
    return ok();
  }

  void write_back_soon([[maybe_unused]] std::uint64_t offset, [[maybe_unused]] std::uint64_t length) override {
#ifdef SYNC_FILE_RANGE_WRITE
    const bool fits = offset <= kOffsetMax && length <= kOffsetMax - offset;
    if (fits) {
      ::sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(length), SYNC_FILE_RANGE_WRITE);
    }
#endif
  }

  Status flush() override {
    if (::fdatasync(descriptor_) != 0) return failed("flush");
    return ok();
  }

  Status resize(std::uint64_t size) override {
    if (size > kOffsetMax) return Error{ErrorKind::no_space, fmt::format("cannot resize {}: too large", path_)};
    struct stat status {};
    if (::fstat(descriptor_, &status) == 0 && S_ISBLK(status.st_mode)) {
      const Result<std::uint64_t> there = this->size();
      if (!there) return there.error();
      if (size <= *there) return ok();
      return Error{ErrorKind::no_space, fmt::format("cannot resize {}: the device has {} bytes", path_, *there)};
    }
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return failed("resize");
    return ok();
  }

  Result<std::optional<DataRange>> next_data(std::uint64_t offset) override {
    const Result<std::uint64_t> end = size();
    if (!end) return end.error();
    if (offset >= *end) return std::optional<DataRange>();
    const off_t begin = ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
    if (begin < 0 && errno == ENXIO) return std::optional<DataRange>();
    if (begin < 0) return std::optional<DataRange>({offset, *end});  // this filesystem does not tell
    const off_t hole = ::lseek(descriptor_, begin, SEEK_HOLE);
    return std::optional<DataRange>(
        {static_cast<std::uint64_t>(begin),
         hole < 0 ? std::max(*end, static_cast<std::uint64_t>(begin)) : static_cast<std::uint64_t>(hole)});
  }

 private:
  static constexpr std::uint64_t kOffsetMax = std::numeric_limits<off_t>::max();

  [[nodiscard]] Error failed(std::string_view verb) const {
    const bool full = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
    return {full ? ErrorKind::no_space : ErrorKind::io,
            fmt::format("cannot {} {}: {}", verb, path_, std::strerror(errno))};
  }

  int descriptor_;
  std::string path_;
};

int open_flags(const OpenOptions& options) {
  int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;  // opening a pipe that nobody writes would wait for ever
  switch (options.mode) {
    case OpenMode::read:
      flags |= O_RDONLY;
      break;
    case OpenMode::read_write:
      flags |= O_RDWR;
      break;
    case OpenMode::create:
      flags |= O_RDWR | O_CREAT;
      break;
  }
  return options.follow_symlink ? flags : flags | O_NOFOLLOW;
}

}  // namespace

Result<std::unique_ptr<BlockFile>> open_file(const std::string& path, OpenOptions options) {
  const int descriptor = ::open(path.c_str(), open_flags(options), 0666);
  if (descriptor < 0) {
    return Error{ErrorKind::io, fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  auto file = std::make_unique<PosixFile>(descriptor, path);
  struct stat status {};
  const bool known = ::fstat(descriptor, &status) == 0;
  if (!known || !(S_ISREG(status.st_mode) || (options.block_device && S_ISBLK(status.st_mode)))) {
    return Error{ErrorKind::io, fmt::format("cannot open {}: not a regular file", path)};
  }
  if (options.lock != FileLock::none) {
    const int kind = options.lock == FileLock::shared ? LOCK_SH : LOCK_EX;
    if (::flock(descriptor, kind | LOCK_NB) != 0) {
      const bool taken = errno == EWOULDBLOCK;
      return Error{ErrorKind::io,
                   fmt::format("cannot open {}: {}", path, taken ? "in use by another process" : std::strerror(errno))};
    }
  }
  return std::unique_ptr<BlockFile>(std::move(file));
}

}  // namespace blkpress
