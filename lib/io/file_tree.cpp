#include "blkpress/file_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <unordered_map>
#include <utility>

namespace blkpress {

struct FileTree::State {
  struct Pending {
    std::string path;
    dev_t device;  // of the path that was named; entries on others are not entered
    bool named;    // by the caller: follow it if it is a link
  };
  std::vector<Pending> pending;              // the next one last
  std::set<std::pair<dev_t, ino_t>> linked;  // files with several names
  TreeOptions options;
  TreeSkips skips;
};

namespace {

Error cannot(std::string_view verb, const std::string& path, int problem) {
  return {ErrorKind::io, fmt::format("cannot {} {}: {}", verb, path, std::strerror(problem))};
}

std::string_view kind_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISBLK(mode)) return "a block device";
  return "of an unknown kind";
}

// Names in a directory, the last one first, so that the next one can be taken from the end.
Result<std::vector<std::string>> list_backwards(const std::string& path, bool follow) {
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW));
  if (descriptor < 0) return cannot("open", path, errno);
  DIR* directory = ::fdopendir(descriptor);
  if (directory == nullptr) {
    const int problem = errno;
    ::close(descriptor);
    return cannot("read", path, problem);
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int problem = errno;
  ::closedir(directory);
  if (problem != 0) return cannot("read", path, problem);
  std::sort(names.begin(), names.end(), std::greater<>());
  return names;
}

// A path that the caller named, without links in it.
struct NamedPath {
  std::string real;
  dev_t device;
  bool directory;
};

Result<NamedPath> look_at(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return cannot("read", path, errno);
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return Error{ErrorKind::usage,
                 fmt::format("{} is {}, neither a file nor a directory", path, kind_of(status.st_mode))};
  }
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  if (real == nullptr) return cannot("read", path, errno);
  return NamedPath{real.get(), status.st_dev, S_ISDIR(status.st_mode)};
}

// The paths by their real name, each with the first place that it was named at. Only looked up, never walked.
using NamedPlaces = std::unordered_map<std::string_view, std::size_t>;

// True when another of the paths leads to this one anyway. Costs a look-up for each directory above it.
bool is_repeated(const std::vector<NamedPath>& named, const NamedPlaces& places, std::size_t index,
                 bool cross_filesystems) {
  const NamedPath& path = named[index];
  if (places.at(path.real) != index) return true;
  std::string_view above = path.real;
  while (above.size() > 1) {
    above = above.substr(0, std::max<std::size_t>(1, above.rfind('/')));
    const auto found = places.find(above);
    if (found == places.end()) continue;
    const NamedPath& other = named[found->second];
    if (other.directory && (cross_filesystems || other.device == path.device)) return true;
  }
  return false;
}

}  // namespace

FileTree::FileTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
FileTree::FileTree(FileTree&&) noexcept = default;
FileTree& FileTree::operator=(FileTree&&) noexcept = default;
FileTree::~FileTree() = default;

const TreeSkips& FileTree::skips() const { return state_->skips; }

Result<FileTree> FileTree::open(const std::vector<std::string>& paths, TreeOptions options) {
  auto state = std::make_unique<State>();
  state->options = options;
  std::vector<NamedPath> named;
  for (const std::string& path : paths) {
    auto looked_at = look_at(path);
    if (!looked_at) return looked_at.error();
    named.push_back(std::move(*looked_at));
  }
  NamedPlaces places;
  for (std::size_t i = 0; i < named.size(); ++i) places.try_emplace(named[i].real, i);
  for (std::size_t i = named.size(); i-- > 0;) {
    if (is_repeated(named, places, i, options.cross_filesystems)) {
      ++state->skips.repeated_paths;
    } else {
      state->pending.push_back({paths[i], 0, true});
    }
  }
  return FileTree(std::move(state));
}

Result<std::optional<TreeFile>> FileTree::next() {
  State& state = *state_;
  while (!state.pending.empty()) {
    State::Pending entry = std::move(state.pending.back());
    state.pending.pop_back();
    struct stat status {};
    if ((entry.named ? ::stat : ::lstat)(entry.path.c_str(), &status) != 0) return cannot("read", entry.path, errno);
    if (S_ISLNK(status.st_mode)) {
      ++state.skips.symbolic_links;
    } else if (!entry.named && status.st_dev != entry.device && !state.options.cross_filesystems) {
      ++state.skips.other_filesystems;
    } else if (S_ISDIR(status.st_mode)) {
      auto names = list_backwards(entry.path, entry.named);
      if (!names) return names.error();
      const std::string prefix = entry.path.ends_with('/') ? entry.path : entry.path + '/';
      for (const std::string& name : *names) state.pending.push_back({prefix + name, status.st_dev, false});
    } else if (!S_ISREG(status.st_mode)) {
      ++state.skips.special_files;
    } else if (status.st_nlink > 1 && !state.linked.emplace(status.st_dev, status.st_ino).second) {
      ++state.skips.hard_links;
    } else {
      return std::optional(TreeFile{std::move(entry.path), static_cast<std::uint64_t>(status.st_size),
                                    static_cast<std::uint64_t>(status.st_blocks) * 512});
    }
  }
  return std::optional<TreeFile>();
}

}  // namespace blkpress
