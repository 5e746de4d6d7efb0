// The policy against what a real OpenZFS 2.4.4 stored for the corpus. The default run takes every file and both sector
// sizes at some record sizes; all rows run on demand: test_policy "[.long]".
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "policy/golden_rows.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

// What differs between one row and our sums, and how far.
struct Comparison {
  std::vector<std::string> wrong;  // columns that had to be equal
  std::size_t rows = 0;
  std::size_t ratio_off_by_one = 0;
  std::size_t more_than_a_sector = 0;  // rows whose indirect blocks are off by more than a sector each

  void equal(const GoldenRow& row, const std::string& column, std::uint64_t ours) {
    if (ours != row.number(column)) {
      wrong.push_back(fmt::format("{}: {} is {}, not {}", row.name(), column, ours, row.text(column)));
    }
  }
  void within(const GoldenRow& row, const std::string& column, std::uint64_t ours, std::uint64_t most) {
    const std::uint64_t theirs = row.number(column);
    const std::uint64_t off = std::max(ours, theirs) - std::min(ours, theirs);
    if (off > most) {
      wrong.push_back(fmt::format("{}: {} is {}, more than {} from {}", row.name(), column, ours, most, theirs));
    }
  }
};

void compare_data_blocks(const GoldenRow& row, const ObjectSums& sums, Comparison& all) {
  std::uint64_t raw = 0;
  for (const auto reason : {RecordReason::compression_off, RecordReason::saves_too_little,
                            RecordReason::sector_rounding, RecordReason::codec_gave_up}) {
    raw += sums.of(reason).records;
  }
  all.equal(row, "datablksz", sums.block_size);
  all.equal(row, "levels", static_cast<std::uint64_t>(sums.levels));
  all.equal(row, "l0_nonhole", sums.data.blocks);
  all.equal(row, "l0_hole", sums.of(RecordReason::hole).records);
  all.equal(row, "l0_embedded", sums.of(RecordReason::embedded).records);
  all.equal(row, "l0_compressed", sums.of(RecordReason::compressed).records);
  all.equal(row, "l0_uncompressed", raw);
  all.equal(row, "lsize", sums.data.lsize);
  all.equal(row, "psize", sums.data.psize);
  all.equal(row, "asize", sums.data.asize);
  all.equal(row, "embedded_payload", sums.embedded_payload);
}

// Indirect blocks hold checksums of sectors whose offsets and birth differ from pool to pool, so that the length of
// each may differ by a sector; on a handful of rows by two.
void compare_dataset(const GoldenRow& row, const Stored& stored, Comparison& all) {
  const VdevGeometry vdev = options_of(row).vdev;
  const std::uint64_t indirects = row.number("ind_n");
  const std::uint64_t sector_used = vdev.deflated(vdev.asize(row.sector())) * 2;
  const std::uint64_t theirs = row.number("ind_psize");
  const std::uint64_t ours = stored.sums.metadata.psize;
  const std::uint64_t off = std::max(ours, theirs) - std::min(ours, theirs);
  const std::uint64_t sectors = off > indirects * row.sector() ? 2 : 1;
  if (sectors > 1) ++all.more_than_a_sector;
  if (getenv("POLICY_DIFF")) fmt::print("DIFF {} ind_n {} theirs {} ours {} off {}\n", row.name(), indirects, theirs, ours, (static_cast<double>(ours)-static_cast<double>(theirs))/static_cast<double>(row.sector()));

  all.equal(row, "ind_n", stored.sums.metadata.blocks);
  all.equal(row, "ind_lsize", stored.sums.metadata.lsize);
  all.within(row, "ind_psize", ours, indirects * row.sector() * sectors);
  all.within(row, "ind_asize", stored.sums.metadata.asize, indirects * 2 * vdev.asize(row.sector()) * sectors);
  all.within(row, "used", stored.ledger.used(), indirects * sector_used * sectors);
  all.within(row, "referenced", stored.ledger.referenced(), indirects * sector_used * sectors);
  all.within(row, "st_blocks", stored.sums.st_blocks, (indirects * sector_used * sectors + 511) / 512);
  all.within(row, "logicalused", stored.ledger.logicalused(), indirects * row.sector() * sectors);
  all.equal(row, "empty_used",
            row.text("mode") == "zvol" ? zfs_empty_dataset({}, ZfsLayout::volume, vdev).used
                                       : zfs_empty_dataset({}, ZfsLayout::file, vdev).used);
  all.within(row, "compressratio_x100", stored.ledger.compressratio_x100(), 1);
  all.within(row, "refcompressratio_x100", stored.ledger.refcompressratio_x100(), 1);
  if (stored.ledger.compressratio_x100() != row.number("compressratio_x100")) ++all.ratio_off_by_one;
}

bool is_exact(const GoldenRow& row) {
  const std::string& compression = row.text("compression");
  if (compression.starts_with("zstd")) return false;
  return !compression.starts_with("gzip") || std::string_view(zlibVersion()) == "1.2.13";
}

using Filter = std::function<bool(const GoldenRow&)>;

Comparison compare_exact(const std::string& file, const Filter& wanted) {
  Comparison all;
  for (const GoldenRow& row : golden_rows(file)) {
    if (!is_exact(row) || !wanted(row)) continue;
    ++all.rows;
    const Stored& stored = store(row);
    compare_data_blocks(row, stored.sums, all);
    compare_dataset(row, stored, all);
  }
  return all;
}

void check(const Comparison& all, std::size_t rows, std::size_t ratio_off_by_one, std::size_t more_than_a_sector) {
  for (std::size_t i = 0; i < std::min<std::size_t>(all.wrong.size(), 20); ++i) UNSCOPED_INFO(all.wrong[i]);
  CHECK(all.wrong.empty());
  if (std::string_view(zlibVersion()) == "1.2.13") CHECK(all.rows == rows);
  CHECK(all.ratio_off_by_one <= ratio_off_by_one);
  CHECK(all.more_than_a_sector <= more_than_a_sector);
}

bool everything(const GoldenRow&) { return true; }

}  // namespace

TEST_CASE("zfs policy: all rows of every exact codec equal what OpenZFS stored", "[.long]") {
  check(compare_exact("openzfs_2.4.4.csv", everything), 1710, 4, 0);
}

TEST_CASE("zfs policy: all volume rows of every exact codec equal what OpenZFS stored", "[.long]") {
  check(compare_exact("openzfs_2.4.4_zvol.csv", everything), 150, 0, 0);
}

TEST_CASE("zfs policy: all record size rows of every exact codec equal what OpenZFS stored", "[.long]") {
  check(compare_exact("openzfs_2.4.4_record_sizes.csv", everything), 352, 0, 0);
}

TEST_CASE("zfs policy: all raidz and mirror rows of every exact codec equal what OpenZFS stored", "[.long]") {
  check(compare_exact("openzfs_2.4.4_raidz.csv", everything), 500, 0, 0);
}
