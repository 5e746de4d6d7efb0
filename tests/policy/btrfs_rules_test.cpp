// Rules of policy btrfs that the goldens do not single out.
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "blkpress/btrfs_policy.hpp"
#include "blkpress/corpus.hpp"
#include "policy/btrfs_heuristic.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

std::unique_ptr<Policy> policy_of(std::vector<Property> properties) {
  auto policy = make_policy("btrfs", properties);
  if (!policy) FAIL(policy.error().message);
  return std::move(policy).value();
}

std::string message(std::vector<Property> properties) {
  const auto policy = make_policy("btrfs", properties);
  REQUIRE(!policy.has_value());
  CHECK(policy.error().kind == ErrorKind::usage);
  return policy.error().message;
}

ObjectSums store(const std::vector<Property>& properties, ByteView content) {
  const auto policy = policy_of(properties);
  const auto decider = policy->make_decider();
  const auto account = policy->make_account();
  const std::uint32_t unit = policy->unit_bytes(content.size());
  account->begin(content.size());
  for (std::size_t at = 0; at < content.size(); at += unit) {
    account->add(decider->decide(content.subspan(at, std::min<std::size_t>(unit, content.size() - at)), unit));
  }
  return account->finish();
}

std::vector<std::byte> joined(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::vector<std::byte> both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

}  // namespace

TEST_CASE("btrfs options: levels are moved into their range as mount does, and what is unknown is refused") {
  const auto compression = [](const char* text) { return policy_of({{"compress", text}})->properties()[0].value; };
  CHECK(policy_of({})->properties()[0] == Property{"compress", "no"});
  CHECK(compression("") == "zlib:3");
  CHECK(compression("zlib") == "zlib:3");
  CHECK(compression("zlib:0") == "zlib:3");
  CHECK(compression("zlib:10") == "zlib:9");
  CHECK(compression("zstd") == "zstd:3");
  CHECK(compression("zstd:19") == "zstd:15");
  CHECK(compression("zstd:-99") == "zstd:-15");
  CHECK(policy_of({{"compress-force", "zstd:1"}})->properties()[0] == Property{"compress-force", "zstd:1"});
  CHECK(message({{"compress", "lz4"}}) ==
        "compress 'lz4' is not one of: no | zlib | zlib:[1-9] | lzo | zstd | zstd:[-15--1] | zstd:[1-15]");
  CHECK(message({{"compress", "zstd:x"}}).find("compress 'zstd:x' is not one of: ") == 0);
  CHECK(message({{"compress", "zstd:"}}).find("compress 'zstd:' is not one of: ") == 0);
  CHECK(message({{"compress", "lzo"}, {"compress-force", "lzo"}}) ==
        "compress and compress-force exclude each other; set one");
  CHECK(message({{"max_inline", "4097"}}) == "max_inline '4097' is not between 0 and 4096");
  CHECK(message({{"nodatacow", "yes"}}) == "nodatacow 'yes' is not one of: on | off");
  CHECK(message({{"recordsize", "4K"}}) ==
        "policy btrfs has no property 'recordsize'; it has compress, compress-force, max_inline, nodatacow, fallocate");
}

TEST_CASE("btrfs policy: what was preallocated or is written in place is never compressed, not even by force") {
  const std::vector<std::byte> zeros(kMiB);
  CHECK(store({{"compress-force", "zstd"}}, zeros).data.asize == kMiB / 32);
  for (const char* name : {"fallocate", "nodatacow"}) {
    const ObjectSums sums = store({{"compress-force", "zstd"}, {name, "on"}}, zeros);
    CHECK(sums.data.asize == kMiB);
    CHECK(sums.data.blocks == 1);
    CHECK(sums.of(RecordReason::compression_off).records == 8);
  }
}

// 4 MiB of random bytes and 4 MiB of text in one flush were one plain extent on Linux 6.18.
TEST_CASE("btrfs policy: the heuristic's no on the first 128 KiB keeps the whole range plain") {
  const auto random = generate_random(4 * kMiB, 5);
  const auto text = generate_text(4 * kMiB, 6);
  const ObjectSums random_first = store({{"compress", "zstd"}}, joined(random, text));
  CHECK(random_first.data.blocks == 1);
  CHECK(random_first.data.asize == 8 * kMiB);
  CHECK(random_first.of(RecordReason::after_raw).records == 32);
  const ObjectSums text_first = store({{"compress", "zstd"}}, joined(text, random));
  CHECK(text_first.of(RecordReason::compressed).records == 32);
  CHECK(text_first.data.blocks == 32 + 8);
}

TEST_CASE("btrfs policy: a hole ends the range, and takes nothing") {
  const auto policy = policy_of({{"compress", "zstd"}});
  const auto decider = policy->make_decider();
  const auto account = policy->make_account();
  const auto random = generate_random(128 * kKiB, 7);
  const auto text = generate_text(128 * kKiB, 8);
  account->begin(4 * 128 * kKiB);
  account->add(decider->decide(random, 128 * kKiB));
  account->add(decider->decide(text, 128 * kKiB));
  account->add_holes(1);
  account->add(decider->decide(text, 128 * kKiB));
  const ObjectSums sums = account->finish();
  CHECK(sums.of(RecordReason::after_raw).records == 1);
  CHECK(sums.of(RecordReason::compressed).records == 1);
  CHECK(sums.of(RecordReason::hole).lsize == 128 * kKiB);
  CHECK(sums.st_blocks == 3 * 128 * 2);
}

TEST_CASE("btrfs policy: an incompressible file is one extent, and by force one for each 512 KiB") {
  const auto random = generate_random(8 * kMiB, 9);
  CHECK(store({{"compress", "zstd"}}, random).data.blocks == 1);
  CHECK(store({{"compress-force", "zstd"}}, random).data.blocks == 16);
}

TEST_CASE("btrfs policy: base64 passes the heuristic, and a file of one byte value repeats") {
  std::vector<std::byte> base64 = generate_random(128 * kKiB, 10);
  const std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::byte& byte : base64) byte = static_cast<std::byte>(letters[std::to_integer<std::size_t>(byte) % 64]);
  CHECK(btrfs_guess(base64) == BtrfsGuess::small_core);
  CHECK(btrfs_guess(std::vector<std::byte>(4096)) == BtrfsGuess::repeats);
  CHECK(btrfs_guess(generate_text(128 * kKiB, 11)) == BtrfsGuess::few_values);
  CHECK(btrfs_guess(generate_random(128 * kKiB, 12)) == BtrfsGuess::wide_core);
}

TEST_CASE("btrfs policy: what would be stored decodes to the data") {
  const auto text = generate_text(128 * kKiB, 13);
  std::vector<std::byte> decoded(text.size());
  SECTION("zlib") {
    const auto decider = policy_of({{"compress", "zlib:6"}})->make_decider();
    REQUIRE(decider->decide(text, 128 * kKiB).outcome.kind == RecordKind::compressed);
    const ByteView stored = decider->stored();
    z_stream stream = {};
    REQUIRE(inflateInit(&stream) == Z_OK);
    std::vector<std::byte> copy(stored.begin(), stored.end());
    stream.next_in = reinterpret_cast<Bytef*>(copy.data());
    stream.avail_in = static_cast<uInt>(copy.size());
    stream.next_out = reinterpret_cast<Bytef*>(decoded.data());
    stream.avail_out = static_cast<uInt>(decoded.size());
    CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
    inflateEnd(&stream);
  }
  SECTION("zstd") {
    const auto decider = policy_of({{"compress", "zstd:9"}})->make_decider();
    const RecordFinding finding = decider->decide(text, 128 * kKiB);
    REQUIRE(finding.outcome.kind == RecordKind::compressed);
    CHECK(decider->stored().size() == finding.outcome.psize);
    CHECK(ZSTD_decompress(decoded.data(), decoded.size(), decider->stored().data(), finding.outcome.payload) ==
          text.size());
  }
#if BLKPRESS_WITH_LZO
  SECTION("lzo") {
    const auto decider = policy_of({{"compress", "lzo"}})->make_decider();
    const RecordFinding finding = decider->decide(text, 128 * kKiB);
    REQUIRE(finding.outcome.kind == RecordKind::compressed);
    const ByteView stored = decider->stored();
    REQUIRE(load_le<std::uint32_t>(stored.data()) == finding.outcome.payload);
    const auto codec = compression_named("lzo").make_context();
    std::size_t at = 4;
    for (std::size_t sector = 0; sector < text.size(); sector += 4096) {
      if (4096 - at % 4096 < 4) at = (at + 4095) / 4096 * 4096;
      const std::uint32_t length = load_le<std::uint32_t>(stored.data() + at);
      REQUIRE(codec->decompress(stored.subspan(at + 4, length), ByteSpan(decoded).subspan(sector, 4096)));
      at += 4 + length;
    }
  }
#endif
  CHECK(decoded == text);
}
