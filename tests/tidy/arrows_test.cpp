// docs/architecture.md, "The arrows": what a folder may include.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "support/catch.hpp"
#include "tidy/source_tree.hpp"

using namespace blkpress;

namespace {

using Names = std::set<std::string>;

// The same lines as on the page; what these reach may be included too.
const std::map<std::string, Names> kArrows = {
    {"base", {}},
    {"codec", {"base"}},
    {"content", {"base"}},
    {"io", {"base"}},
    {"space", {"codec"}},
    {"policy", {"codec", "space"}},
    {"pool", {"policy", "space", "io"}},
    {"estimate", {"policy", "space", "io", "content"}},
    {"kernel", {}},
    {"device", {"kernel"}},
    {"host", {"kernel"}},
    {"report", {"kernel"}},
    {"filesystem", {"device", "host"}},
    {"workload", {"filesystem", "report"}},
    {"experiment", {"workload", "filesystem", "report"}},
};
const Names kLib = {"base", "codec", "content", "io", "space", "policy", "pool", "estimate"};

// Whose the public headers are.
const std::map<std::string, Names> kPublicHeaders = {
    {"base", {"bytes", "fletcher4", "histogram", "ordered_pool", "random", "result"}},
    {"codec", {"codec"}},
    {"content",
     {"bitmap_image", "corpus", "event_table", "fio_buffers", "fio_image", "fio_offsets", "fio_options", "fio_random",
      "mixed_files", "record_content", "vm_image"}},
    {"io", {"block_file", "file_tree", "text_file"}},
    {"space", {"ledger", "pool_space", "record", "size_format", "vdev"}},
    {"policy", {"btrfs_policy", "f2fs_policy", "policy", "vdo_policy", "zfs_policy"}},
    {"pool", {"pool"}},
    {"estimate", {"estimate", "fio_lint"}},
    {"kernel", {"sim/digest", "sim/distribution", "sim/resource", "sim/scheduler", "sim/task", "sim/time"}},
    {"device", {"sim/device", "sim/device_queue"}},
    {"host", {"sim/host", "sim/processor"}},
    {"report", {"sim/figure", "sim/fio_statistics", "sim/replay_report", "sim/table"}},
    {"filesystem",
     {"sim/filesystem", "sim/page_cache", "sim/record_sampler", "sim/world", "sim/zfs_filesystem",
      "sim/zfs_read_side"}},
    {"workload", {"sim/fio_job", "sim/workload"}},
    {"experiment", {"sim/experiment", "sim/world_setting"}},
};

void add_reached(const std::string& folder, Names& reached) {
  if (!reached.insert(folder).second) return;
  for (const std::string& next : kArrows.at(folder)) add_reached(next, reached);
}

Names may_include(const std::string& folder) {
  Names reached;
  add_reached(folder, reached);
  if (!kLib.contains(folder)) reached.insert(kLib.begin(), kLib.end());
  return reached;
}

// "blkpress/sim/table.hpp" and "report/fio_printed.hpp" belong to "report"; "" when that is unknown.
std::string folder_of_include(const std::string& name) {
  if (name.starts_with("blkpress/")) {
    const std::string stem = name.substr(9, name.rfind('.') - 9);
    for (const auto& [folder, headers] : kPublicHeaders) {
      if (headers.contains(stem)) return folder;
    }
    return "";
  }
  const std::string folder = name.substr(0, name.find('/'));
  return kArrows.contains(folder) ? folder : "";
}

std::string folder_of_file(const std::string& path) {
  const auto include = path.find("/include/");
  if (include != std::string::npos) return folder_of_include(path.substr(include + 9));
  const auto first = path.find('/');
  return path.substr(first + 1, path.find('/', first + 1) - first - 1);
}

}  // namespace

TEST_CASE("tidy: every include of lib and sim follows an arrow of the architecture") {
  const std::regex include(R"re(^\s*#\s*include\s+"([^"]+)")re");
  for (const auto& file : test::source_files({"lib", "sim"}, {".cpp", ".hpp"})) {
    CAPTURE(file.path);
    const std::string folder = folder_of_file(file.path);
    if (!kArrows.contains(folder)) {
      FAIL_CHECK("belongs to no folder of the architecture; place it in the tables of this test");
      continue;
    }
    const Names allowed = may_include(folder);
    for (const std::string& line : file.lines) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string target = folder_of_include(match[1]);
      CAPTURE(line, target);
      if (!allowed.contains(target)) FAIL_CHECK(folder << " may not include this");
    }
  }
}

TEST_CASE("tidy: no arrow leads back") {
  for (const auto& [folder, targets] : kArrows) {
    for (const std::string& target : targets) {
      Names reached;
      add_reached(target, reached);
      CAPTURE(folder, target);
      CHECK_FALSE(reached.contains(folder));
      CHECK_FALSE((kLib.contains(folder) && !kLib.contains(target)));
    }
  }
}

TEST_CASE("tidy: the public headers that the arrows know are those that there are") {
  Names known;
  for (const auto& [folder, headers] : kPublicHeaders) known.insert(headers.begin(), headers.end());
  Names present;
  for (const auto& file : test::source_files({"lib/include/blkpress", "sim/include/blkpress"}, {".hpp"})) {
    const std::string name = file.path.substr(file.path.find("blkpress/") + 9);
    present.insert(name.substr(0, name.rfind('.')));
  }
  CHECK(present == known);
}

TEST_CASE("tidy: public headers know no third-party type") {
  const std::regex third_party(
      R"re(#\s*include\s+<(fmt|CLI|nlohmann|toml|zstd|lz4|zlib|lzo|xxhash|catch2|benchmark)[/.+])re");
  for (const auto& file : test::source_files({"lib/include", "sim/include"}, {".hpp"})) {
    CAPTURE(file.path);
    CHECK_FALSE(std::regex_search(file.text(), third_party));
  }
}
