#include "blkpress/file_tree.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
namespace fs = std::filesystem;

namespace {

// Paths relative to the scratch directory; errors as "! message".
std::vector<std::string> walk(const test::ScratchDirectory& scratch, FileTree& tree) {
  std::vector<std::string> found;
  for (;;) {
    auto next = tree.next();
    if (!next) {
      found.push_back("! " + next.error().message);
    } else if (!next->has_value()) {
      return found;
    } else {
      found.push_back((*next)->path.substr(scratch.path().size() + 1));
    }
  }
}

}  // namespace

TEST_CASE("file tree: entries come sorted by name, directories where their names stand") {
  const test::ScratchDirectory scratch;
  for (const char* name : {"b/2", "b/1", "a", "c", "b/sub/x", "B"}) scratch.write(name, "x");
  auto tree = FileTree::open({scratch.path()});
  REQUIRE(tree.has_value());
  CHECK(walk(scratch, *tree) == std::vector<std::string>{"B", "a", "b/1", "b/2", "b/sub/x", "c"});
}

TEST_CASE("file tree: links are not followed, hard links are met once, pipes are passed over") {
  const test::ScratchDirectory scratch;
  scratch.write("file", "12345");
  fs::create_hard_link(scratch.path("file"), scratch.path("file2"));
  fs::create_symlink("file", scratch.path("link"));
  fs::create_directory_symlink("..", scratch.path("loop"));
  fs::create_symlink("nowhere", scratch.path("dangling"));
  REQUIRE(::mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  auto tree = FileTree::open({scratch.path()});
  REQUIRE(tree.has_value());
  CHECK(walk(scratch, *tree) == std::vector<std::string>{"file"});
  CHECK(tree->skips().symbolic_links == 3);
  CHECK(tree->skips().hard_links == 1);
  CHECK(tree->skips().special_files == 1);
  CHECK(tree->skips().other_filesystems == 0);
}

TEST_CASE("file tree: a path given twice or inside another one is walked once") {
  const test::ScratchDirectory scratch;
  scratch.write("d/a", "1");
  scratch.write("d/b", "2");
  scratch.write("e", "3");
  auto tree = FileTree::open({scratch.path("e"), scratch.path("d/b"), scratch.path("d"), scratch.path("d/../e")});
  REQUIRE(tree.has_value());
  CHECK(walk(scratch, *tree) == std::vector<std::string>{"e", "d/a", "d/b"});
  CHECK(tree->skips().repeated_paths == 2);
}

TEST_CASE("file tree: a named link is followed") {
  const test::ScratchDirectory scratch;
  scratch.write("d/a", "1");
  fs::create_directory_symlink("d", scratch.path("link"));
  auto tree = FileTree::open({scratch.path("link")});
  REQUIRE(tree.has_value());
  CHECK(walk(scratch, *tree) == std::vector<std::string>{"link/a"});
}

TEST_CASE("file tree: what was named must exist and be a file or a directory") {
  const test::ScratchDirectory scratch;
  const auto failure = [](const std::string& path) {
    const auto tree = FileTree::open({path});
    REQUIRE_FALSE(tree.has_value());
    return tree.error();
  };
  CHECK(failure(scratch.path("none")).kind == ErrorKind::io);
  CHECK(failure(scratch.path("none")).message == "cannot read " + scratch.path("none") + ": No such file or directory");
  fs::create_symlink("self", scratch.path("self"));
  CHECK(failure(scratch.path("self")).message ==
        "cannot read " + scratch.path("self") + ": Too many levels of symbolic links");
  CHECK(failure("/dev/zero").kind == ErrorKind::usage);
  CHECK(failure("/dev/zero").message == "/dev/zero is a character device, neither a file nor a directory");
}

TEST_CASE("file tree: other filesystems are entered only when asked") {
  // /proc is a mount point on every machine that runs this; its parent is the root.
  struct stat root {};
  struct stat shm {};
  if (::stat("/dev", &root) != 0 || ::stat("/dev/shm", &shm) != 0 || root.st_dev == shm.st_dev) return;
  auto tree = FileTree::open({"/dev"});
  REQUIRE(tree.has_value());
  for (;;) {
    auto next = tree->next();
    if (next && !next->has_value()) break;
    if (next) CHECK_FALSE((*next)->path.starts_with("/dev/shm/"));
  }
  CHECK(tree->skips().other_filesystems >= 1);
}

TEST_CASE("file tree: a directory that vanishes is one error, and the walk goes on") {
  const test::ScratchDirectory scratch;
  for (const char* name : {"a", "b/x", "c"}) scratch.write(name, "x");
  auto tree = FileTree::open({scratch.path()});
  REQUIRE(tree.has_value());
  REQUIRE(tree->next().has_value());  // lists the directory and gives a
  fs::remove_all(scratch.path("b"));
  CHECK(walk(scratch, *tree) ==
        std::vector<std::string>{"! cannot read " + scratch.path("b") + ": No such file or directory", "c"});
}
