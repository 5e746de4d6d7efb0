// Faults that were found by hand once, each kept from coming back.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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

TEST_CASE("command: a full disk has a status of its own, on --output and on standard output") {
  CHECK(run_command({"codecs", "--output", "/dev/full"}).status == 5);
  CHECK(run_command({"codecs"}, {.environment = {}, .standard_output = "/dev/full"}).status == 5);
}

TEST_CASE("command help: of help is help, of a command its options") {
  const CommandRun general = run_command({"help"});
  CHECK(general.status == 0);
  CHECK(run_command({"help", "help"}).out == general.out);
  CHECK(run_command({"help", "--help"}).out == general.out);
  const CommandRun replay = run_command({"help", "replay"});
  CHECK(replay.status == 0);
  CHECK(replay.out == run_command({"replay", "--help"}).out);
  CHECK(replay.out.find("--seeds") != std::string::npos);
}

TEST_CASE("command replay: an experiment that is named twice is run once") {
  const CommandRun once = run_command({"replay", "freebsd-zfs-dd", "--format", "csv"});
  REQUIRE(once.status == 0);
  CHECK(run_command({"replay", "freebsd-zfs-dd", "freebsd-zfs-dd", "--format", "csv"}).out == once.out);
}

TEST_CASE("command replay: --list honours --format and --output") {
  const ScratchDirectory scratch;
  const CommandRun json = run_command({"replay", "--list", "--format", "json", "--output", scratch.path("list")});
  CHECK(json.status == 0);
  CHECK(json.out.empty());
  const std::string text = read_text(scratch.path("list"));
  CHECK(text.starts_with("{\n  \"experiments\": ["));
  CHECK(text.find("\"id\": \"freebsd-zfs-dd\"") != std::string::npos);
  CHECK(run_command({"replay", "--list", "--format", "csv"}).out.starts_with("id,title\nbtrfs-f2fs-fio,"));
}

TEST_CASE("command estimate: equal rows are computed once, in the same words or in others") {
  const ScratchDirectory scratch;
  scratch.write("file", std::string(10'000, 'x'));
  const auto rows = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "estimate");
    arguments.insert(arguments.end(), {"--format", "csv", scratch.path("file")});
    const std::string csv = run_command(arguments).out;
    return std::count(csv.begin(), csv.end(), '\n') - 1;
  };
  CHECK(rows({"--compression", "lz4", "--recordsize", "128K", "--ashift", "12,12"}) == 1);
  CHECK(rows({"--compression", "lz4,lz4,zle", "--recordsize", "128K,131072,128k", "--ashift", "12,9"}) == 4);
  CHECK(rows({"--compression", "lz4", "--recordsize", "128K", "--vdev", "raidz1:3,mirror:2"}) == 2);
  CHECK(rows({"--policy", "btrfs,btrfs", "--compression", "lzo,zstd:3,lzo"}) == 2);
}
