// The policy against what a real Btrfs of Linux 6.18 stored for the corpus, as compsize's ioctl read it back.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "blkpress/btrfs_policy.hpp"
#include "policy/btrfs_account.hpp"
#include "policy/golden_rows.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

struct Stored {
  ObjectSums sums;
  bool nocompress = false;
};

Stored store_as(const GoldenRow& row) {
  const std::string& mount = row.text("mount_option");
  std::vector<Property> properties;
  if (mount != "none") {
    const std::size_t equals = mount.find('=');
    properties.push_back({mount.substr(0, equals), mount.substr(equals + 1)});
  }
  const auto options = BtrfsOptions::parse(properties);
  if (!options) FAIL(options.error().message);
  const auto policy = BtrfsPolicy::make(*options);
  const ByteView content = corpus_bytes(row.text("file"));
  const auto decider = (*policy)->make_decider();
  BtrfsAccount account(**policy);
  const std::uint32_t unit = (*policy)->unit_bytes(content.size());
  account.begin(content.size());
  for (std::size_t at = 0; at < content.size(); at += unit) {
    account.add(decider->decide(content.subspan(at, std::min<std::size_t>(unit, content.size() - at)), unit));
  }
  return {account.finish(), account.nocompress()};
}

std::string name(const GoldenRow& row) { return row.text("file") + ' ' + row.text("mount_option"); }

// Rows whose bytes on disk differ, and why.
const std::map<std::string, std::string> kExceptions = {
    {"ramp.bin compress=zstd:9",
     "the kernel's libzstd is 1.5.7: extents of random head and text end differ by a sector"},
    {"ramp.bin compress-force=zstd:9", "the same"},
    {"ramp.bin compress=lzo",
     "chunks are compressed in parallel, and one more was through before the first failure had set NOCOMPRESS"},
};

void compare(const GoldenRow& row, const std::string& column, std::uint64_t ours, std::vector<std::string>& wrong) {
  if (ours != row.number(column)) {
    wrong.push_back(fmt::format("{}: {} is {}, not {}", name(row), column, ours, row.text(column)));
  }
}

struct Comparison {
  std::size_t rows = 0;
  std::vector<std::string> wrong;
  std::set<std::string> other_disk_bytes;
};

Comparison compare_rows(bool all) {
  Comparison result;
  for (const GoldenRow& row : golden_rows("btrfs_6.18.csv")) {
    // The slow levels run on demand.
    const bool slow = row.text("mount_option").ends_with("zstd:15") || row.text("mount_option").ends_with("zlib:6");
    if (slow && !all && row.number("bytes") > kMiB) continue;
    if (!BLKPRESS_WITH_LZO && row.text("mount_option").ends_with("lzo")) continue;
    ++result.rows;
    const Stored stored = store_as(row);
    const ObjectSums& sums = stored.sums;
    compare(row, "uncompressed", sums.data.lsize, result.wrong);
    compare(row, "st_blocks512", sums.st_blocks, result.wrong);
    compare(row, "inline_items", sums.of(RecordReason::embedded).records, result.wrong);
    if (sums.data.asize != row.number("disk_bytes")) result.other_disk_bytes.insert(name(row));
    if (kExceptions.count(name(row)) > 0) continue;
    compare(row, "disk_bytes", sums.data.asize, result.wrong);
    compare(row, "extents", sums.data.blocks, result.wrong);
    compare(row, "comp_extents", sums.of(RecordReason::compressed).records, result.wrong);
    // An inline extent that did not shrink sets the flag as well, which the sums do not show.
    if (row.number("inline_items") == 0) {
      const std::string flag = stored.nocompress ? "True" : "False";
      if (flag != row.text("nocompress_flag")) result.wrong.push_back(name(row) + ": flag is " + flag);
    }
  }
  return result;
}

void show(const Comparison& result) {
  for (std::size_t i = 0; i < std::min<std::size_t>(result.wrong.size(), 20); ++i) UNSCOPED_INFO(result.wrong[i]);
  CHECK(result.wrong.empty());
}

}  // namespace

TEST_CASE("btrfs policy: rows of the quick levels equal what Btrfs stored") {
  const Comparison result = compare_rows(false);
  show(result);
  CHECK(result.rows >= (BLKPRESS_WITH_LZO ? 200 : 160));
}

TEST_CASE("btrfs policy: at least 98 percent of all rows have the bytes on disk of a real Btrfs", "[.long]") {
  const Comparison result = compare_rows(true);
  show(result);
  CHECK(result.rows == (BLKPRESS_WITH_LZO ? 247 : 209));
  CHECK(result.other_disk_bytes.size() * 100 <= 2 * result.rows);
  for (const std::string& row : result.other_disk_bytes) {
    CAPTURE(row);
    CHECK(kExceptions.count(row) == 1);
  }
}
