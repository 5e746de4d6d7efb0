// The rules alone, fed with the lengths that OpenZFS's own codecs wrote (zstd 1.4.5 among them): every data block of
// every row of the goldens that has lengths must come out to the byte, whatever libraries this system has.
#include <fmt/format.h>
#include <zlib.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "policy/golden_rows.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

struct Length {
  std::uint32_t lsize;
  std::uint32_t at_ashift_9;  // under the capacity of ashift 9; 0: all zeros; lsize: gave up
  std::uint32_t at_ashift_12;
};

using Lengths = std::map<std::string, std::vector<Length>>;  // by "file compression recordsize"

Lengths read_lengths() {
  Lengths lengths;
  gzFile file = gzopen(BLKPRESS_GOLDEN_DIR "/openzfs_codec_lengths.csv.gz", "rb");
  REQUIRE(file != nullptr);
  char line[256];
  REQUIRE(gzgets(file, line, sizeof line) != nullptr);
  while (gzgets(file, line, sizeof line) != nullptr) {
    std::istringstream fields(line);
    std::string name, compression, recordsize, block, text;
    std::getline(fields, name, ',');
    std::getline(fields, compression, ',');
    std::getline(fields, recordsize, ',');
    std::getline(fields, block, ',');
    std::vector<std::uint32_t> numbers;
    while (std::getline(fields, text, ',')) numbers.push_back(static_cast<std::uint32_t>(std::stoul(text)));
    lengths[name + ' ' + compression + ' ' + recordsize].push_back({numbers[0], numbers[2], numbers[3]});
  }
  gzclose(file);
  return lengths;
}

struct Sums {
  std::uint64_t psize = 0, asize = 0, hole = 0, embedded = 0, compressed = 0, raw = 0, payload = 0;
};

Sums sum_up(const ZfsRules& rules, const std::vector<Length>& lengths, bool ashift_9) {
  Sums sums;
  for (const Length& length : lengths) {
    const std::uint32_t written = ashift_9 ? length.at_ashift_9 : length.at_ashift_12;
    const RecordOutcome outcome =
        written == 0 ? rules.hole(length.lsize)
                     : rules.outcome(length.lsize, written == length.lsize ? std::nullopt : std::optional(written));
    sums.psize += outcome.psize;
    sums.asize += outcome.asize;
    sums.hole += outcome.kind == RecordKind::hole;
    sums.embedded += outcome.kind == RecordKind::embedded;
    sums.compressed += outcome.kind == RecordKind::compressed;
    sums.raw += outcome.kind == RecordKind::raw;
    if (outcome.kind == RecordKind::embedded) sums.payload += outcome.payload;
  }
  return sums;
}

bool equal(const GoldenRow& row, const Sums& sums) {
  return sums.psize == row.number("psize") && sums.asize == row.number("asize") && sums.hole == row.number("l0_hole") &&
         sums.embedded == row.number("l0_embedded") && sums.compressed == row.number("l0_compressed") &&
         sums.raw == row.number("l0_uncompressed") && sums.payload == row.number("embedded_payload");
}

}  // namespace

TEST_CASE("zfs rules: with the lengths of OpenZFS's own codecs every row comes out to the byte, zstd included") {
  const Lengths lengths = read_lengths();
  std::vector<std::string> wrong;
  std::size_t rows = 0;
  std::size_t zstd_rows = 0;
  for (const char* file : {"openzfs_2.4.4.csv", "openzfs_2.4.4_raidz.csv"}) {
    for (const GoldenRow& row : golden_rows(file)) {
      const auto found = lengths.find(row.text("file") + ' ' + row.text("compression") + ' ' + row.text("recordsize"));
      if (found == lengths.end()) continue;
      ++rows;
      zstd_rows += row.text("compression").starts_with("zstd");
      const ZfsRules rules(options_of(row));
      if (!equal(row, sum_up(rules, found->second, row.text("ashift") == "9"))) wrong.push_back(row.name());
    }
  }
  for (std::size_t i = 0; i < wrong.size() && i < 10; ++i) UNSCOPED_INFO(wrong[i]);
  UNSCOPED_INFO(fmt::format("{} of {} rows", wrong.size(), rows));
  CHECK(wrong.empty());
  CHECK(zstd_rows > 500);
}
