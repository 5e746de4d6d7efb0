// Names, heads and contents of source files.
#include <algorithm>
#include <regex>
#include <set>

#include "support/catch.hpp"
#include "tidy/source_tree.hpp"

using namespace blkpress;
using test::root_files;
using test::source_files;

namespace {

const std::vector<std::string> kCodeFolders = {"lib", "sim", "tools", "bench", "tests"};

std::string stem_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.substr(0, name.rfind('.'));
}

}  // namespace

TEST_CASE("tidy: a file is named in snake_case for the one thing that it holds") {
  const std::regex snake_case("[a-z][a-z0-9]*(_[a-z0-9]+)*");
  const std::regex says_nothing("(^|_)(utils?|common|helpers?|manager|misc|impl|stuff)(_|$)");
  for (const auto& file : source_files(kCodeFolders, {".cpp", ".hpp", ".def"})) {
    CAPTURE(file.path);
    const std::string stem = stem_of(file.path);
    CHECK(std::regex_match(stem, snake_case));
    CHECK_FALSE(std::regex_search(stem, says_nothing));
  }
}

TEST_CASE("tidy: every header has pragma once, and a public one begins by saying what it is") {
  for (const auto& file : source_files(kCodeFolders, {".hpp"})) {
    CAPTURE(file.path);
    CHECK(std::count(file.lines.begin(), file.lines.end(), "#pragma once") == 1);
    if (file.path.find("/include/") == std::string::npos) continue;
    REQUIRE_FALSE(file.lines.empty());
    CHECK(file.lines.front().starts_with("// "));
    CHECK(file.text().find("Threads:") != std::string::npos);
  }
}

TEST_CASE("tidy: the simulator never looks at a clock and draws no number of the C library") {
  const std::regex wall_clock(
      R"re(<chrono>|std::chrono|gettimeofday|clock_gettime|\bclock\s*\(|std::time\b|[^\w.:>]time\s*\(\s*(0|NULL|nullptr|&)|\bs?rand\s*\(|random_device|mt19937)re");
  for (const auto& file : source_files({"sim"}, {".cpp", ".hpp"})) {
    for (const std::string& line : file.lines) {
      CAPTURE(file.path, line);
      if (std::regex_search(line, wall_clock)) FAIL_CHECK("virtual time and our own random numbers only");
    }
  }
}

TEST_CASE("tidy: our code throws nothing, and lines fit") {
  const std::regex throws(R"re(^\s*throw\b)re");
  for (const auto& file : source_files({"lib", "sim", "tools"}, {".cpp", ".hpp", ".def"})) {
    for (const std::string& line : file.lines) {
      CAPTURE(file.path, line);
      if (std::regex_search(line, throws)) FAIL_CHECK("errors are values");
      if (line.find("TO"
                    "DO") != std::string::npos)
        FAIL_CHECK("unfinished work belongs into the issue tracker");
      if (line.find('\t') != std::string::npos) FAIL_CHECK("tabs");
    }
  }
}

TEST_CASE("tidy: files have one subject: none is longer than 600 lines") {
  for (const auto& file : source_files({"lib", "sim", "tools"}, {".cpp", ".hpp"})) {
    CAPTURE(file.path);
    CHECK(file.lines.size() <= 600);
  }
}

TEST_CASE("tidy: every entry of a .def list is tested and documented") {
  std::string tests;
  for (const auto& file : source_files({"tests"}, {".cpp"})) tests += file.text();
  std::string docs;
  for (const auto& file : source_files({"docs"}, {".md"})) docs += file.text();
  // The experiments are replayed by tests: what their files name is tested there.
  for (const auto& file : source_files({"data"}, {".toml"})) tests += file.text();
  // BLKPRESS_X(identifier, "name", …), or without a name of its own
  const std::regex entry(R"re(^BLKPRESS_[A-Z_]+\((\w+)(?:,\s*"([^" ]+)")?)re");
  int entries = 0;
  for (const auto& file : source_files({"lib", "sim", "tools"}, {".def"})) {
    const std::string stem = stem_of(file.path);
    // A contract test runs over the whole registry: it calls codecs(), or includes codecs.def.
    const bool contract =
        tests.find(stem + "()") != std::string::npos || tests.find('/' + stem + ".def") != std::string::npos;
    for (const std::string& line : file.lines) {
      std::smatch match;
      if (!std::regex_search(line, match, entry)) continue;
      ++entries;
      const std::string name = match[2].matched ? match[2].str() : match[1].str();
      CAPTURE(file.path, name);
      CHECK((contract || tests.find('"' + name + '"') != std::string::npos));
      CHECK(std::regex_search(docs, std::regex("(^|[^\\w-])" + name + "($|[^\\w-])")));
    }
  }
  CHECK(entries >= 15);
}

TEST_CASE("tidy: nothing names the place where it was written") {
  // Put together here, so that this file does not name it either.
  const std::vector<std::string> places = {std::string("/wo") + "rk/", std::string("../sha") + "red",
                                           std::string(".lib") + "rary/"};
  auto files = source_files({"lib", "sim", "tools", "bench", "tests", "docs", "cmake", "data"},
                            {".cpp", ".hpp", ".def", ".md", ".txt", ".cmake", ".toml", ".fio", ".sh", ".csv"});
  for (auto& file : root_files()) files.push_back(std::move(file));
  const auto among = [&files](const std::string& path) {
    return std::any_of(files.begin(), files.end(), [&path](const auto& file) { return file.path == path; });
  };
  for (const char* path : {"README.md", "check", "reproduce", "setup.sh", "CMakeLists.txt", "tests/clang/same_bytes.sh",
                           "data/experiments/vps-zfs-fio/published.csv"}) {
    CAPTURE(path);
    CHECK(among(path));
  }
  for (const auto& file : files) {
    for (const std::string& place : places) {
      CAPTURE(file.path, place);
      CHECK(file.text().find(place) == std::string::npos);
    }
  }
}
