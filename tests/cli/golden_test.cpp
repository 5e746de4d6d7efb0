// What a real OpenZFS stored, asked of the command.
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "blkpress/corpus.hpp"
#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using Json = nlohmann::ordered_json;

namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

std::vector<Row> golden_rows() {
  std::ifstream file(std::string(BLKPRESS_GOLDEN_DIR) + "/openzfs_2.4.4.csv");
  std::string line;
  REQUIRE(std::getline(file, line));
  const auto titles = split(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const auto cells = split(line);
    Row row;
    for (std::size_t i = 0; i < titles.size() && i < cells.size(); ++i) row[titles[i]] = cells[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Comparison {
  int compared = 0;
  int sizes_differ = 0;
  int ratios_differ = 0;
  int ratios_differ_much = 0;
};

// Every row of one file whose codec is among those asked for.
void compare(const std::string& file, const std::string& path, const std::string& compressions,
             const std::string& recordsizes, const std::vector<Row>& rows, Comparison& comparison) {
  const auto run = test::run_command({"estimate", "--format", "json", "--compression", compressions, "--recordsize",
                                      recordsizes, "--ashift", "9,12", path});
  REQUIRE(run.status == 0);
  const Json answer = Json::parse(run.out);
  for (const auto& result : answer["results"]) {
    for (const Row& row : rows) {
      if (row.at("file") != file || row.at("compression") != result["compression"].get<std::string>() ||
          std::stoll(row.at("recordsize")) != result["recordsize"] ||
          std::stoll(row.at("ashift")) != result["ashift"]) {
        continue;
      }
      ++comparison.compared;
      for (const char* column : {"lsize", "psize", "asize"}) {
        if (std::stoll(row.at(column)) != result[column]) {
          ++comparison.sizes_differ;
          UNSCOPED_INFO(file << ' ' << result["compression"] << ' ' << result["recordsize"] << ' ' << column << ' '
                             << row.at(column) << " is " << result[column]);
        }
      }
      const auto ratio = std::lround(result["compressratio"].get<double>() * 100);
      const auto difference = std::abs(ratio - std::stol(row.at("compressratio_x100")));
      if (difference > 0) ++comparison.ratios_differ;
      if (difference > 1) ++comparison.ratios_differ_much;
    }
  }
}

Comparison compare_all(const std::string& compressions, const std::string& recordsizes) {
  const test::ScratchDirectory scratch;
  const auto rows = golden_rows();
  Comparison comparison;
  for (const std::string_view name : corpus_names()) {
    const std::string path = scratch.write(name, ByteView(corpus_file(name)));
    compare(std::string(name), path, compressions, recordsizes, rows, comparison);
  }
  return comparison;
}

}  // namespace

TEST_CASE("command estimate: says of the corpus what OpenZFS 2.4.4 stored, to the byte") {
  const Comparison comparison = compare_all("off,lzjb,zle,lz4", "4K,128K,1M");
  CHECK(comparison.compared == 19 * 4 * 3 * 2);
  CHECK(comparison.sizes_differ == 0);
  // Offsets and checksums inside the pointers of a real pool move an indirect block by a sector now and then.
  CHECK(comparison.ratios_differ <= 2);
  CHECK(comparison.ratios_differ_much == 0);
}

TEST_CASE("command estimate: all record sizes and gzip of the corpus, to the byte", "[.long]") {
  // The goldens of gzip are zlib 1.2.13's; another version writes other lengths.
  const bool same_zlib = blkpress::test::run_command({"version"}).out.find("zlib 1.2.13") != std::string::npos;
  const std::string exact = same_zlib ? "off,on,lzjb,zle,lz4,gzip,gzip-1,gzip-9" : "off,on,lzjb,zle,lz4";
  const Comparison comparison = compare_all(exact, "4K,8K,16K,128K,1M");
  CHECK(comparison.compared == 19 * (same_zlib ? 8 : 5) * 5 * 2);
  CHECK(comparison.sizes_differ == 0);
  CHECK(comparison.ratios_differ <= 6);
  CHECK(comparison.ratios_differ_much == 0);
}
