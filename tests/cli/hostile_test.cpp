// Hostile and mistaken input: each gets one line that says what is wrong, the right exit status, and nothing waits.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using test::run_command;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

struct Case {
  const char* what;
  std::vector<std::string> arguments;  // "@" at the start of a word stands for the scratch directory
  int status;
  std::string message;  // all of standard error behind "blkpress: ", with "@" as above; "…" at the end: anything more
};

std::string placed(const std::string& text, const test::ScratchDirectory& scratch) {
  std::string result;
  for (const char c : text) {
    if (c == '@') {
      result += scratch.path();
    } else {
      result += c;
    }
  }
  return result;
}

void check(const Case& hostile, const test::ScratchDirectory& scratch) {
  CAPTURE(hostile.what);
  std::vector<std::string> arguments;
  for (const std::string& word : hostile.arguments) arguments.push_back(placed(word, scratch));
  const auto run = run_command(arguments);
  CHECK(run.status == hostile.status);
  CHECK(run.out.empty());
  std::string expected = "blkpress: " + placed(hostile.message, scratch);
  if (expected.ends_with("…")) {
    expected.resize(expected.size() - std::string("…").size());
    CHECK(run.err.substr(0, expected.size()) == expected);
    CHECK(run.err.find('\n') == run.err.size() - 1);
  } else {
    CHECK(run.err == expected + '\n');
  }
}

}  // namespace

TEST_CASE("hostile: mistaken words and values get their one line") {
  const test::ScratchDirectory scratch;
  scratch.write("data", std::string(1000, 'a'));
  REQUIRE(::mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  fs::create_symlink("loop", scratch.path("loop"));
  const std::string seed_range = " is not a whole number between 0 and 18446744073709551615";
  std::string names;
  for (const std::string& name : test::listed_commands()) names += (names.empty() ? "" : ", ") + name;
  const std::vector<Case> cases = {
      {"unknown command", {"estmate"}, 2, "unknown command 'estmate'; it is one of " + names},
      {"empty command", {""}, 2, "unknown command ''; it is one of " + names},
      {"command of control characters", {"a\n\x1b[31m"}, 2, "unknown command 'a\\n\\x1b[31m'; it is one of …"},
      {"no path", {"estimate"}, 2, "estimate: no PATH given (see blkpress help estimate)"},
      {"empty path", {"estimate", ""}, 2, "estimate: an empty argument"},
      {"compression", {"estimate", "--compression", "lz5", "@"}, 2, "compression 'lz5' is not one of: on | off …"},
      {"level", {"estimate", "--compression", "gzip-10", "@"}, 2, "compression 'gzip-10' is not one of: …"},
      {"empty item", {"estimate", "--compression", "lz4,,zle", "@"}, 2, "--compression 'lz4,,zle' has an empty item"},
      {"recordsize",
       {"estimate", "--compression", "lz4", "--recordsize", "100000", "@"},
       2,
       "recordsize 100000 is not a power of two between 512 and 16777216"},
      {"huge recordsize",
       {"estimate", "--compression", "lz4", "--recordsize", "99999999999999999999999", "@"},
       2,
       "recordsize: …"},
      {"ashift", {"estimate", "--ashift", "99", "@"}, 2, "ashift 99 is not between 9 and 16"},
      {"vdev", {"estimate", "--vdev", "raidz9:3", "@"}, 2, "…"},
      {"policy", {"estimate", "--policy", "ext4", "@"}, 2, "policy 'ext4' is not one of: …"},
      {"property", {"estimate", "--set", "colour=red", "@"}, 2, "policy zfs has no property 'colour'; it has …"},
      {"setting", {"estimate", "--set", "copies", "@"}, 2, "--set 'copies' is not NAME=VALUE"},
      {"format", {"estimate", "--format", "xml", "@"}, 2, "--format 'xml' is not one of text, json, csv"},
      {"no threads", {"estimate", "--threads", "0", "@"}, 2, "--threads '0' is not a whole number between 1 and 1024"},
      {"threads of words",
       {"estimate", "--threads", "many", "@"},
       2,
       "--threads 'many' is not a whole number between 1 and 1024"},
      {"option without value",
       {"estimate", "@", "--format"},
       2,
       "estimate: --format: 1 required text|json|csv missing (see blkpress help estimate)"},
      {"missing path", {"estimate", "@/none"}, 3, "cannot read @/none: No such file or directory"},
      {"name with newline", {"estimate", "@/no\nne"}, 3, "cannot read @/no\\nne: No such file or directory"},
      {"pipe", {"estimate", "@/pipe"}, 2, "@/pipe is a pipe, neither a file nor a directory"},
      {"endless device",
       {"estimate", "/dev/zero"},
       2,
       "/dev/zero is a character device, neither a file nor a directory"},
      {"link to itself", {"estimate", "@/loop"}, 3, "cannot read @/loop: Too many levels of symbolic links"},
      {"path too long", {"estimate", "@/" + std::string(5000, 'x')}, 3, "cannot read …"},
      {"output without directory",
       {"codecs", "--output", "@/none/list"},
       3,
       "cannot create @/none/list: No such file or directory"},
      {"output onto a directory", {"codecs", "--output", "@"}, 3, "cannot open @: Is a directory"},
      {"output onto a full device",
       {"codecs", "--output", "/dev/full"},
       5,
       "cannot write to /dev/full: No space left on device"},
      {"output to nothing", {"codecs", "--output", ""}, 2, "--output '': needs a FILE"},
      {"data in nothing", {"replay", "--list", "--data", ""}, 2, "--data '': needs a DIR"},
      // Would take hours: the path is looked at first.
      {"calibrate without a place",
       {"calibrate", "--repetitions", "100000", "--records", "1024", "--output", "@/none/table"},
       3,
       "cannot create @/none/table: No such file or directory"},
      {"calibrate onto a directory",
       {"calibrate", "--repetitions", "100000", "--records", "1024", "--output", "@"},
       3,
       "cannot open @: Is a directory"},
      {"too many rows",
       {"estimate", "--compression", "lz4,zle,lzjb,gzip-1,gzip-2,gzip-3,gzip-4,gzip-5,gzip-6,gzip-7,gzip-8,gzip-9",
        "--recordsize", "512,1K,2K,4K,8K,16K,32K,64K,128K,256K,512K,1M", "--ashift", "9,10,11,12,13,14,15", "@"},
       2,
       "estimate: 1008 rows (every combination of the lists) are asked for; at most 1000 are answered at once"},
      {"help of two", {"help", "replay", "estimate"}, 2, "help takes one command, not 'estimate' too"},
      {"help of none such", {"help", "reply"}, 2, "unknown command 'reply'; it is one of …"},
      {"list of one",
       {"replay", "--list", "x"},
       2,
       "--list and 'x': the list names every experiment; give one or the other"},
      {"seeds past the last",
       {"replay", "--all", "--seed", "18446744073709551615", "--seeds", "2"},
       2,
       "--seed 18446744073709551615 --seeds 2: the last seed is above 18446744073709551615"},
      {"outputs in a table",
       {"replay", "--all", "--outputs", "--format", "csv"},
       2,
       "--outputs goes with --format text, not csv"},
      {"no experiment", {"replay"}, 2, "replay: name experiments or give --all (blkpress replay --list names them)"},
      {"all and one", {"replay", "--all", "x"}, 2, "--all and 'x': give one or the other"},
      {"unknown experiment", {"replay", "no-such"}, 2, "experiment 'no-such' is unknown; there are …"},
      {"negative seed", {"replay", "--all", "--seed", "-1"}, 2, "--seed '-1'" + seed_range},
      {"seed too large",
       {"replay", "--all", "--seed", "18446744073709551616"},
       2,
       "--seed '18446744073709551616'" + seed_range},
      {"no seeds", {"replay", "--all", "--seeds", "0"}, 2, "--seeds '0' is not a whole number between 1 and 1000"},
      {"unknown mechanism",
       {"replay", "--all", "--without", "gravity"},
       2,
       "mechanism 'gravity' is unknown; there are …"},
  };
  CHECK(cases.size() >= 20);
  for (const Case& hostile : cases) check(hostile, scratch);
}

TEST_CASE("hostile: names with newlines and invalid UTF-8 are read, and the JSON stays valid UTF-8") {
  const test::ScratchDirectory scratch;
  scratch.write("new\nline", std::string(1000, 'a'));
  scratch.write("bad\xff\xfename", std::string(1000, 'a'));
  scratch.write("locked\xff", std::string(1000, 'a'));
  fs::permissions(scratch.path(), fs::perms(0755));
  for (const auto& entry : fs::directory_iterator(scratch.path())) fs::permissions(entry, fs::perms(0644));
  fs::permissions(scratch.path("locked\xff"), fs::perms::none);
  const auto run = run_command({"estimate", "--format", "json", scratch.path()},
                               {.environment = {}, .standard_output = {}, .unprivileged = true});
  CHECK(run.status == 1);
  CHECK(run.err == "blkpress: cannot open " + scratch.path("locked\\xff") + ": Permission denied\n");
  const auto json = Json::parse(run.out);  // refuses what is not UTF-8
  CHECK(json["scan"]["files"] == 2);
  CHECK(json["scan"]["unreadable"] == 1);
  CHECK(json["scan"]["problems"][0] == "cannot open " + scratch.path("locked") + "\xEF\xBF\xBD: Permission denied");
}

TEST_CASE("hostile: a tree of pipes, links and an unreadable directory is scanned, counted and named") {
  const test::ScratchDirectory scratch;
  scratch.write("data", std::string(1000, 'a'));
  scratch.write("dir/inside", "x");
  REQUIRE(::mkfifo(scratch.path("pipe").c_str(), 0666) == 0);
  fs::create_directory_symlink("..", scratch.path("up"));
  fs::create_hard_link(scratch.path("data"), scratch.path("data2"));
  fs::permissions(scratch.path(), fs::perms(0755));
  fs::permissions(scratch.path("dir"), fs::perms::none);
  const auto run =
      run_command({"estimate", scratch.path()}, {.environment = {}, .standard_output = {}, .unprivileged = true});
  fs::permissions(scratch.path("dir"), fs::perms(0755));
  CHECK(run.status == 1);
  CHECK(run.err == "blkpress: cannot open " + scratch.path("dir") + ": Permission denied\n");
  CHECK(
      run.out.find("passed over: 1 symbolic link, 1 pipe, socket or device, 1 further name of a file with hard links\n"
                   "not read: 1 path\n") != std::string::npos);
}

TEST_CASE("hostile: a file of /proc has content and no size: named, not counted as empty") {
  const auto run = run_command({"estimate", "/proc/self/status"});
  CHECK(run.status == 1);
  CHECK(run.err ==
        "blkpress: cannot read /proc/self/status: says that it is empty and has content, as files in /proc do\n");
}

TEST_CASE("hostile: an empty directory is a result, with the ratio of nothing") {
  const test::ScratchDirectory scratch;
  const auto run = run_command({"estimate", "--format", "json", scratch.path()});
  CHECK(run.status == 0);
  const auto json = Json::parse(run.out);
  CHECK(json["results"][0]["files"] == 0);
  CHECK(json["results"][0]["ratio"] == 1.0);
  CHECK(json["results"][0]["compressratio"] == 1.0);
}

TEST_CASE("hostile: damaged data is a usage error that names the file, never a crash") {
  const test::ScratchDirectory scratch;
  fs::copy(std::string(BLKPRESS_SOURCE_DIR) + "/data/experiments", scratch.path("experiments"),
           fs::copy_options::recursive);
  fs::copy(std::string(BLKPRESS_SOURCE_DIR) + "/data/devices", scratch.path("devices"), fs::copy_options::recursive);
  fs::copy(std::string(BLKPRESS_SOURCE_DIR) + "/data/hosts", scratch.path("hosts"), fs::copy_options::recursive);
  const std::string garbage("\x00\xff[[[=\n\"", 8);
  const std::string file =
      GENERATE("experiments/freebsd-zfs-dd/experiment.toml", "experiments/freebsd-zfs-dd/published.csv",
               "hosts/freebsd-2009.toml", "devices/scsi-2008.toml", "experiments/vps-zfs-fio/seqwrite.fio");
  const std::string damage = GENERATE("garbage", "empty", "half", "huge numbers");
  const std::string whole = test::read_text(scratch.path(file));
  std::string numbers = whole;
  for (char& c : numbers) c = c >= '0' && c <= '9' ? '9' : c;
  scratch.write(file, damage == "garbage" ? garbage
                      : damage == "empty" ? ""
                      : damage == "half"  ? whole.substr(0, whole.size() / 2)
                                          : numbers);
  const auto run = run_command({"replay", "--all", "--format", "csv"},
                               {.environment = {{"BLKPRESS_DATA", scratch.path()}}, .standard_output = {}});
  CAPTURE(file, damage, run.err);
  // A half file may still be a whole one (the second half of a comment); anything else is refused in one line.
  if (damage == "garbage" || damage == "empty") CHECK(run.status != 0);
  CHECK(run.status <= 5);
  if (run.status != 0) {
    CHECK(run.err.starts_with("blkpress: "));
    CHECK(run.err.find('\n') == run.err.size() - 1);
  }
  if (damage == "garbage") CHECK(run.err.find(fs::path(file).stem().string()) != std::string::npos);
}
