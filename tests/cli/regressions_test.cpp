// Faults that were found by hand once, each kept from coming back.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress::test;

TEST_CASE("command estimate: --set of a property that has an option is refused, not overruled") {
  const ScratchDirectory scratch;
  scratch.write("file", std::string(10'000, 'x'));
  const std::vector<std::pair<std::string, std::string>> rows = {{"compression=gzip", "--compression"},
                                                                 {"recordsize=4K", "--recordsize"},
                                                                 {"ashift=16", "--ashift"},
                                                                 {"vdev=mirror:3", "--vdev"},
                                                                 {"layout=volume", "--as"},
                                                                 {"exact_reasons=on", "--exact-reasons"},
                                                                 {"volblocksize=8K", "--recordsize with --as volume"}};
  for (const auto& [setting, option] : rows) {
    const CommandRun run = run_command({"estimate", "--set", setting, scratch.path()});
    CHECK(run.status == 2);
    CHECK(run.err == "blkpress: --set '" + setting + "': use " + option + "\n");
  }
  CHECK(run_command({"estimate", "--set", "copies=2,copies=3", scratch.path()}).err ==
        "blkpress: --set names copies twice\n");
}

TEST_CASE("command: --output writes through a symbolic link and keeps the mode of what was there") {
  const ScratchDirectory scratch;
  const std::string target = scratch.write("target", std::string("old"));
  ::chmod(target.c_str(), 0600);
  std::filesystem::create_symlink("target", scratch.path("link"));
  REQUIRE(run_command({"codecs", "--output", scratch.path("link")}).status == 0);
  CHECK(std::filesystem::is_symlink(scratch.path("link")));
  CHECK(read_text(target) != "old");
  struct stat status {};
  REQUIRE(::stat(target.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}

TEST_CASE("command: --output takes a name of the greatest length") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path(std::string(255, 'n'));
  CHECK(run_command({"codecs", "--output", path}).status == 0);
  CHECK(std::filesystem::exists(path));
}

TEST_CASE("command estimate: a path named twice, or below another one, counts once, among thousands too") {
  const ScratchDirectory scratch;
  std::vector<std::string> arguments = {"estimate", "--compression", "lz4", "--recordsize", "128K", "--format", "json"};
  for (int i = 0; i < 3000; ++i) arguments.push_back(scratch.write("d/" + std::to_string(i), std::string("x")));
  const CommandRun files = run_command(arguments);
  CHECK(files.out.find("\"files\": 3000") != std::string::npos);
  arguments.push_back(scratch.path("d"));
  arguments.push_back(scratch.path());
  const CommandRun all = run_command(arguments);
  CHECK(all.out.find("\"files\": 3000") != std::string::npos);
}
