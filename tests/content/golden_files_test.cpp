// The goldens are what was measured: no file changes unseen.
#include <filesystem>
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/scratch_directory.hpp"
#include "support/sha256.hpp"

using namespace blkpress::test;

TEST_CASE("goldens: every file has the hash of SHA256SUMS, and none is missing from the list or from the README") {
  const std::string folder = BLKPRESS_GOLDEN_DIR;
  const auto listed = read_sha256_list(folder + "/SHA256SUMS");
  const std::string readme = read_text(folder + "/README.md");
  std::set<std::string> present;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "SHA256SUMS" || name == "README.md") continue;
    present.insert(name);
    CAPTURE(name);
    REQUIRE(listed.contains(name));
    CHECK(sha256(read_text(entry.path().string())) == listed.at(name));
    CHECK(readme.find(name) != std::string::npos);
  }
  CHECK(present.size() == listed.size());
}
