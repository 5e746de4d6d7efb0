// The verbs that administer pools, as a ZFS administrator types them.
#include <sys/file.h>

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

#include "blkpress/corpus.hpp"
#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using test::run_command;
namespace fs = std::filesystem;

namespace {

const test::RunOptions kRepeatable = {.environment = {{"SOURCE_DATE_EPOCH", "1700000000"}, {"BLKPRESS_GUID_SEED", "7"}},
                                      .standard_output = {},
                                      .unprivileged = false};

// The words of a line, "tank" at the start of one being the pool.
std::vector<std::string> words_of(const std::string& line, const std::string& pool) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word.starts_with("tank") ? pool + word.substr(4) : word);
  }
  return words;
}

std::string heading(const std::string& out) {
  std::istringstream line(out.substr(0, out.find('\n')));
  std::string words;
  for (std::string word; line >> word;) words += (words.empty() ? "" : " ") + word;
  return words;
}

std::string file_text(ByteView bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

TEST_CASE("pool commands: an administrator's lines run with the names changed, and print zfs's columns") {
  const test::ScratchDirectory scratch;
  const std::string pool = scratch.path("tank.blkp");
  REQUIRE(run_command({"create", pool, "--size", "64M", "--ashift", "9"}).status == 0);
  // A line, and the heading of what it prints: those of the recorded session and of zfs(8); empty: it prints nothing.
  const std::pair<const char*, const char*> lines[] = {
      {"create tank/none", ""},
      {"create tank/compress", ""},
      {"create tank/gzip", ""},
      {"create -p tank/a/b/c", ""},
      {"create -V 8M tank/vol", ""},
      {"create -s -V 8M -o volblocksize=8K tank/vol8", ""},
      {"create -o compression=zstd-3 -o recordsize=1M tank/archive", ""},
      {"set compress=on tank/compress", ""},
      {"set compress=gzip tank/gzip", ""},
      {"set quota=10M tank/a", ""},
      {"set reservation=1M tank/a/b", ""},
      {"set readonly=on tank/none", ""},
      {"get compress tank/none tank/compress tank/gzip", "NAME PROPERTY VALUE SOURCE"},
      {"get compressratio tank", "NAME PROPERTY VALUE SOURCE"},
      {"get -r -o name,property,value used,referenced,compressratio,compression,recordsize tank",
       "NAME PROPERTY VALUE"},
      {"get all tank/gzip", "NAME PROPERTY VALUE SOURCE"},
      {"get -s local all tank/gzip", "NAME PROPERTY VALUE SOURCE"},
      {"list -r tank", "NAME USED AVAIL REFER MOUNTPOINT"},
      {"list tank/gzip", "NAME USED AVAIL REFER MOUNTPOINT"},
      {"list -r -o name,used,available,referenced,compressratio,compression,recordsize tank",
       "NAME USED AVAIL REFER RATIO COMPRESS RECSIZE"},
      {"list tank", "NAME SIZE ALLOC FREE CAP"},
      {"snapshot tank/gzip@s1", ""},
      {"snapshot -r tank@all", ""},
      {"list -t all -r tank", "NAME USED AVAIL REFER MOUNTPOINT"},
      {"list -t snapshot -o name,used,creation -s creation tank/gzip", "NAME USED CREATION"},
      {"get compressratio tank/gzip@s1", "NAME PROPERTY VALUE SOURCE"},
      {"rollback -r tank/gzip@s1", ""},
      {"clone tank/gzip@s1 tank/copy", ""},
      {"rename tank/copy tank/a/copy", ""},
      {"rename tank/gzip@s1 @first", ""},
      {"get origin tank/a/copy", "NAME PROPERTY VALUE SOURCE"},
      {"inherit -r compression tank", ""},
      {"destroy tank/a/copy", ""},
      {"destroy -r tank/a", ""},
      {"destroy tank/gzip@first", ""},
      {"scrub tank", nullptr},
      {"check tank", nullptr},
  };
  for (const auto& [line, wanted] : lines) {
    CAPTURE(line);
    const auto run = run_command(words_of(line, pool));
    CHECK(run.err.empty());
    CHECK(run.status == 0);
    if (wanted != nullptr) CHECK(heading(run.out) == wanted);
  }
  const auto scripted = run_command({"list", "-H", "-o", "name,compression", pool + "/gzip"});
  CHECK(scripted.out == pool + "/gzip\ton\n");
  const auto source = run_command({"get", "-H", "-o", "value,source", "recordsize", pool + "/archive"});
  CHECK(source.out == "1M\tlocal\n");
  REQUIRE(run_command({"destroy", "-r", pool}).status == 0);
  CHECK(!fs::exists(pool));
}

TEST_CASE("pool commands: what is put is what cat and copy give back, holes included") {
  const test::ScratchDirectory scratch;
  const std::string pool = scratch.path("p.blkp");
  REQUIRE(run_command({"create", pool, "--size", "128M"}).status == 0);
  for (const char* name : {"syntext.bin", "mixed.bin"}) {
    std::vector<std::byte> bytes = corpus_file(name);
    bytes.resize(3'000'001);
    const std::string path = scratch.write(name, bytes);
    REQUIRE(run_command({"put", pool, path}).status == 0);
    CHECK(run_command({"cat", pool, name}).out == file_text(bytes));
    // Once more, under another name, and over what is there.
    REQUIRE(run_command({"put", "--as", "other", pool, path}).status == 0);
    CHECK(run_command({"cat", pool, "other"}).out == file_text(bytes));
  }
  CHECK(run_command({"ls", pool}).out == "mixed.bin\nother\nsyntext.bin\n");
  REQUIRE(run_command({"rm", pool, "other"}).status == 0);
  CHECK(run_command({"ls", pool}).out == "mixed.bin\nsyntext.bin\n");
  // An image with holes at both ends of its data.
  const std::string image = scratch.path("vm.raw"), back = scratch.path("back.raw");
  scratch.write("vm.raw", std::string(1 << 20, 'x'));
  fs::resize_file(image, 32 << 20);
  REQUIRE(run_command({"copy", "--create", image, pool + "/vm"}).status == 0);
  REQUIRE(run_command({"snapshot", pool + "/vm@a"}).status == 0);
  REQUIRE(run_command({"copy", pool + "/vm@a", back}).status == 0);
  CHECK(test::read_text(back) == test::read_text(image));
  CHECK(run_command({"check", pool}).status == 0);
}

TEST_CASE("pool commands: the same operations make the same file") {
  const test::ScratchDirectory scratch;
  std::vector<std::string> files;
  const std::string data = scratch.write("data", std::string(500'000, 'q') + "tail");
  for (const char* name : {"one.blkp", "two.blkp"}) {
    const std::string pool = scratch.path(name);
    REQUIRE(run_command({"create", pool, "--size", "16M"}, kRepeatable).status == 0);
    REQUIRE(run_command({"create", pool + "/db", "-o", "compression=gzip-1"}, kRepeatable).status == 0);
    REQUIRE(run_command({"put", pool + "/db", data}, kRepeatable).status == 0);
    REQUIRE(run_command({"snapshot", "-r", pool + "@s"}, kRepeatable).status == 0);
    files.push_back(test::read_text(pool));
  }
  CHECK(files[0] == files[1]);
}

TEST_CASE("pool commands: mistakes get one line and the right exit status, and do no harm") {
  const test::ScratchDirectory scratch;
  const std::string pool = scratch.path("p.blkp"), text = scratch.write("text", std::string("no pool"));
  REQUIRE(run_command({"create", pool, "--size", "16M"}).status == 0);
  REQUIRE(run_command({"create", pool + "/v", "-V", "1M"}).status == 0);
  const std::pair<std::vector<std::string>, int> mistakes[] = {
      {{"create", pool, "--size", "16M"}, 2},
      {{"create", scratch.path("new"), "--size", "1M"}, 2},
      {{"create", scratch.path("new")}, 2},
      {{"create", scratch.path("no/where"), "--size", "16M"}, 3},
      {{"create", pool + "/"}, 2},
      {{"create", pool + "/a/b"}, 2},
      {{"create", pool + "/a//b"}, 2},
      {{"create", pool + "/a@b"}, 2},
      {{"create", pool + "/w", "-V", "1000"}, 2},
      {{"create", pool + "/w", "-V", "-5"}, 2},
      {{"create", pool + "/x", "-o", "recordsize=3K"}, 2},
      {{"create", pool + "/x", "-o", "nonsense"}, 2},
      {{"create", pool + "/" + std::string(300, 'n')}, 2},
      {{"set", "used=1", pool}, 2},
      {{"set", "checksum=off", pool}, 2},
      {{"set", "compression=lz5", pool}, 2},
      {{"set", "volblocksize=8K", pool + "/v"}, 2},
      {{"get", "nothing", pool}, 2},
      {{"get", "all", pool + "/nothing"}, 2},
      {{"list", "-t", "files", pool}, 2},
      {{"list", scratch.path("nothing")}, 2},
      {{"list", text}, 4},
      {{"check", text}, 4},
      {{"snapshot", pool}, 2},
      {{"rollback", pool + "@none"}, 2},
      {{"clone", pool + "@none", pool + "/c"}, 2},
      {{"destroy", pool}, 2},
      {{"destroy", pool + "/none"}, 2},
      {{"inherit", "used", pool}, 2},
      {{"rename", pool + "/v", scratch.path("q")}, 2},
      {{"put", pool, scratch.path("missing")}, 3},
      {{"put", pool, "-"}, 2},
      {{"put", pool + "/v", text}, 2},
      {{"cat", pool, "none"}, 2},
      {{"cat", pool}, 2},
      {{"rm", pool, "none"}, 2},
      {{"copy", text, scratch.path("out")}, 2},
      {{"copy", pool + "/none", scratch.path("out")}, 2},
  };
  for (const auto& [arguments, status] : mistakes) {
    CAPTURE(arguments);
    const auto run = run_command(arguments);
    CHECK(run.status == status);
    CHECK(run.out.empty());
    CHECK(run.err.starts_with("blkpress: "));
    CHECK(run.err.find('\n') == run.err.size() - 1);
  }
  CHECK(!fs::exists(scratch.path("new")));
  CHECK(!fs::exists(scratch.path("out")));
  CHECK(run_command({"get", "-Hp", "-o", "value", "used", pool + "/v"}).status == 0);
  CHECK(run_command({"check", pool}).status == 0);
  CHECK(test::read_text(text) == "no pool");
}

TEST_CASE("pool commands: a pool that another process has is in use") {
  const test::ScratchDirectory scratch;
  const std::string pool = scratch.path("p.blkp");
  REQUIRE(run_command({"create", pool, "--size", "16M"}).status == 0);
  const int descriptor = ::open(pool.c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(descriptor >= 0);
  REQUIRE(::flock(descriptor, LOCK_EX) == 0);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"list", pool}, {"create", pool + "/db"}, {"check", pool}, {"destroy", "-r", pool}}) {
    const auto run = run_command(arguments);
    CHECK(run.status == 3);
    CHECK(run.err.find("in use") != std::string::npos);
  }
  // With a reader, others may read.
  REQUIRE(::flock(descriptor, LOCK_SH) == 0);
  CHECK(run_command({"list", pool}).status == 0);
  CHECK(run_command({"create", pool + "/db"}).status == 3);
  ::close(descriptor);
  CHECK(run_command({"create", pool + "/db"}).status == 0);
}
