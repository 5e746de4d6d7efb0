// The policy against the images that mkfs.f2fs and sload.f2fs 1.16 made of the corpus.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "blkpress/f2fs_policy.hpp"
#include "policy/golden_rows.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

// The modes are options of sload.f2fs: -r, -m 2, and -c with an extension that no file of the corpus has.
std::vector<Property> properties_of(const GoldenRow& row) {
  std::vector<Property> properties = {{"writer", "sload"}, {"compress_log_size", row.text("log_cluster")}};
  const std::string& mode = row.text("mode");
  const bool compressed = row.text("alg") != "none" && mode != "only_ext_txt";
  properties.push_back({"compress_extension", compressed ? "*" : "none"});
  if (row.text("alg") != "none") properties.push_back({"compress_algorithm", row.text("alg")});
  if (mode == "readonly") properties.push_back({"release", "on"});
  if (mode == "mutable_m2") properties.push_back({"min_saved_blocks", "2"});
  return properties;
}

ObjectSums store_as(const GoldenRow& row) {
  const auto policy = make_policy("f2fs", properties_of(row));
  if (!policy) FAIL(policy.error().message);
  const ByteView content = corpus_bytes(row.text("file"));
  const auto decider = (*policy)->make_decider();
  const auto account = (*policy)->make_account();
  const std::uint32_t unit = (*policy)->unit_bytes(content.size());
  account->begin(content.size());
  for (std::size_t at = 0; at < content.size(); at += unit) {
    account->add(decider->decide(content.subspan(at, std::min<std::size_t>(unit, content.size() - at)), unit));
  }
  return account->finish();
}

}  // namespace

TEST_CASE("f2fs policy: all rows equal what sload.f2fs stored") {
  std::size_t rows = 0;
  std::vector<std::string> wrong;
  for (const GoldenRow& row : golden_rows("f2fs_tools_1.16.csv")) {
    if (!BLKPRESS_WITH_LZO && row.text("alg") == "lzo") continue;
    ++rows;
    const ObjectSums sums = store_as(row);
    const auto compare = [&](const std::string& column, std::uint64_t ours) {
      if (ours == row.number(column)) return;
      wrong.push_back(fmt::format("{} {} {} {}: {} is {}, not {}", row.text("file"), row.text("alg"),
                                  row.text("log_cluster"), row.text("mode"), column, ours, row.text(column)));
    };
    compare("i_blocks", sums.st_blocks / 8);
    compare("i_compr_blocks", (sums.data.asize - sums.data.psize) / 4096);
    compare("data_blocks_stored", sums.data.psize / 4096);
    compare("inline", sums.of(RecordReason::embedded).records);
    compare("logical_blocks", sums.data.lsize / 4096);
  }
  CHECK(rows == (BLKPRESS_WITH_LZO ? 285 : 171));
  for (std::size_t i = 0; i < std::min<std::size_t>(wrong.size(), 20); ++i) UNSCOPED_INFO(wrong[i]);
  CHECK(wrong.empty());
}
