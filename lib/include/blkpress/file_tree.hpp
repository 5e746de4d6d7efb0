// FileTree: the files below some paths, one after the other, each once, in an order that does not depend on the disk.
//
// Symbolic links below a path are not followed, hard links are met once, other filesystems are not entered unless asked
// for, and pipes, sockets and devices are passed over; all of that is counted. Memory grows with the depth of the tree,
// the size of a directory and the number of hard links, not with the number of files. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blkpress/result.hpp"

namespace blkpress {

struct TreeFile {
  std::string path;
  std::uint64_t bytes = 0;            // when it was met
  std::uint64_t allocated_bytes = 0;  // st_blocks * 512: less than bytes when it may have holes
};

// What was passed over.
struct TreeSkips {
  std::uint64_t symbolic_links = 0;
  std::uint64_t special_files = 0;      // pipes, sockets, devices
  std::uint64_t hard_links = 0;         // names of a file that was met before
  std::uint64_t other_filesystems = 0;  // mount points
  std::uint64_t repeated_paths = 0;     // given twice, or inside another given path
};

struct TreeOptions {
  bool cross_filesystems = false;
};

class FileTree {
 public:
  // paths: files and directories; a path that is a symbolic link itself is followed, since somebody named it. Errors:
  // io, for the first path that cannot be looked at; usage, for one that is neither a file nor a directory.
  static Result<FileTree> open(const std::vector<std::string>& paths, TreeOptions options = {});
  FileTree(FileTree&&) noexcept;
  FileTree& operator=(FileTree&&) noexcept;
  ~FileTree();

  // The next file: paths in the given order, the entries of a directory sorted by the bytes of their names. nullopt: no
  // more. An Error is about one directory or file ("cannot open <path>: Permission denied"); the next call goes on
  // behind it.
  Result<std::optional<TreeFile>> next();

  [[nodiscard]] const TreeSkips& skips() const;

 private:
  struct State;
  explicit FileTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace blkpress
