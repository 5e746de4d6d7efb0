// Rules of policy f2fs that the goldens do not single out.
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "blkpress/corpus.hpp"
#include "blkpress/f2fs_policy.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

std::unique_ptr<Policy> policy_of(std::vector<Property> properties) {
  auto policy = make_policy("f2fs", properties);
  if (!policy) FAIL(policy.error().message);
  return std::move(policy).value();
}

std::string message(std::vector<Property> properties) {
  const auto policy = make_policy("f2fs", properties);
  REQUIRE(!policy.has_value());
  CHECK(policy.error().kind == ErrorKind::usage);
  return policy.error().message;
}

ObjectSums store(const Policy& policy, ByteView content) {
  const auto decider = policy.make_decider();
  const auto account = policy.make_account();
  const std::uint32_t unit = policy.unit_bytes(content.size());
  account->begin(content.size());
  for (std::size_t at = 0; at < content.size(); at += unit) {
    account->add(decider->decide(content.subspan(at, std::min<std::size_t>(unit, content.size() - at)), unit));
  }
  return account->finish();
}

}  // namespace

TEST_CASE("f2fs options: wrong ones get a message that says what would be right") {
  CHECK(message({{"compress_algorithm", "LZ4"}}) ==
        "compress_algorithm 'LZ4' is not one of: lz4 | lz4:[3-12] | lzo | zstd | zstd:[1-22]");
  CHECK(message({{"compress_algorithm", "zstd:23"}}).find("compress_algorithm 'zstd:23' is not one of: ") == 0);
  CHECK(message({{"compress_algorithm", "lz4:2"}}).find("compress_algorithm 'lz4:2' is not one of: ") == 0);
  CHECK(message({{"compress_algorithm", "lz4:16"}}) ==
        "compress_algorithm lz4:16: liblz4 has levels 3 to 12, the kernel's 13 to 16 are not in it");
  CHECK(message({{"compress_algorithm", "lzo-rle"}}) ==
        "compress_algorithm lzo-rle is the kernel's own, and not in liblzo2; lzo comes nearest");
  CHECK(message({{"compress_log_size", "9"}}) == "compress_log_size '9' is not between 2 and 8");
  CHECK(message({{"compress_extension", "txt"}}) == "compress_extension 'txt' is not one of: none | *");
  CHECK(message({{"compress_mode", "on"}}) == "compress_mode 'on' is not one of: fs | user");
  CHECK(message({{"writer", "sload"}, {"min_saved_blocks", "4"}}) == "min_saved_blocks '4' is not between 1 and 3");
  CHECK(message({{"min_saved_blocks", "2"}}) ==
        "min_saved_blocks 2 is an option of sload.f2fs; the kernel has 1, set writer=sload");
  CHECK(message({{"compress", "lz4"}}).find("policy f2fs has no property 'compress'; it has compress_algorithm, ") ==
        0);
  CHECK(policy_of({{"compress_algorithm", "zstd"}})->properties()[0].value == "zstd:1");
}

TEST_CASE("f2fs policy: an algorithm that is only named compresses nothing") {
  const std::vector<std::byte> zeros(kMiB);
  for (const auto& properties : std::vector<std::vector<Property>>{
           {{"compress_algorithm", "zstd"}},
           {{"compress_algorithm", "zstd"}, {"compress_extension", "*"}, {"compress_mode", "user"}}}) {
    const ObjectSums sums = store(*policy_of(properties), zeros);
    CHECK(sums.data.psize == kMiB);
    CHECK(sums.of(RecordReason::compression_off).records == 64);
  }
  const ObjectSums enabled = store(*policy_of({{"compress_algorithm", "zstd"}, {"compress_extension", "*"}}), zeros);
  CHECK(enabled.data.psize == kMiB / 4);
  CHECK(enabled.data.asize == kMiB);
}

TEST_CASE("f2fs policy: the kernel compresses a cluster whose last page is not full, and none that lacks a page") {
  const auto policy = policy_of({{"compress_extension", "*"}});
  CHECK(store(*policy, std::vector<std::byte>(16384 - 100)).data.psize == 4096);
  CHECK(store(*policy, std::vector<std::byte>(12288)).of(RecordReason::too_short).records == 1);
  CHECK(store(*policy, std::vector<std::byte>(100)).of(RecordReason::too_short).records == 1);
  CHECK(store(*policy_of({}), std::vector<std::byte>(100)).of(RecordReason::embedded).records == 1);
}

// Addresses: 864 in the inode, 1018 in each index block, of which the third and every 1018th after it have one above
// them, and from the third of those on one more in all.
TEST_CASE("f2fs policy: index blocks grow in levels, and holes have none") {
  const auto policy = policy_of({});
  const auto index_blocks = [&](std::uint64_t blocks, std::uint64_t written_from) {
    const auto decider = policy->make_decider();
    const auto account = policy->make_account();
    const std::vector<std::byte> cluster(16384);
    const RecordFinding finding = decider->decide(cluster, 16384);
    account->begin(blocks * 4096);
    account->add_holes(written_from / 4);
    for (std::uint64_t at = written_from; at < blocks; at += 4) account->add(finding);
    return account->finish().metadata.blocks - 1;
  };
  CHECK(index_blocks(864, 0) == 0);
  CHECK(index_blocks(868, 0) == 1);
  CHECK(index_blocks(864 + 2036, 0) == 2);
  CHECK(index_blocks(864 + 2040, 0) == 4);
  CHECK(index_blocks(864 + 2036 + 4, 864 + 2036) == 2);
  const std::uint64_t before_double = 864 + 2 * 1018 + 2 * 1018 * 1018;
  CHECK(index_blocks(before_double + 4, before_double) == 3);
}

TEST_CASE("f2fs policy: what would be stored decodes to the data, behind a header with its length") {
  const auto text = generate_text(65536, 3);
  std::vector<std::byte> decoded(text.size());
  for (const char* algorithm : {"lz4", "lz4:9", "zstd:1", "zstd:9", "zstd:22"}) {
    CAPTURE(algorithm);
    const auto policy =
        policy_of({{"compress_algorithm", algorithm}, {"compress_extension", "*"}, {"compress_log_size", "4"}});
    const auto decider = policy->make_decider();
    const RecordFinding finding = decider->decide(text, 65536);
    REQUIRE(finding.outcome.kind == RecordKind::compressed);
    const ByteView stored = decider->stored();
    CHECK(stored.size() == finding.outcome.psize);
    const std::size_t length = load_le<std::uint32_t>(stored.data());
    CHECK(length + 24 == finding.outcome.payload);
    std::fill(decoded.begin(), decoded.end(), std::byte{});
    if (std::string_view(algorithm).starts_with("zstd")) {
      CHECK(ZSTD_decompress(decoded.data(), decoded.size(), stored.data() + 24, length) == text.size());
    } else {
      CHECK(LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data() + 24),
                                reinterpret_cast<char*>(decoded.data()), static_cast<int>(length),
                                static_cast<int>(decoded.size())) == static_cast<int>(text.size()));
    }
    CHECK(decoded == text);
  }
}
