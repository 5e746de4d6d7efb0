#include <algorithm>
#include <array>
#include <vector>

#include "blkpress/corpus.hpp"
#include "blkpress/fletcher4.hpp"
#include "blkpress/random.hpp"
#include "blkpress/zfs_policy.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

std::unique_ptr<Policy> policy_of(std::initializer_list<Property> properties) {
  auto policy = make_policy("zfs", properties);
  BLKPRESS_ASSERT(policy.has_value());
  return std::move(policy).value();
}

RecordOutcome decide(std::initializer_list<Property> properties, ByteView record) {
  const auto policy = policy_of(properties);
  return policy->make_decider()->decide(record, static_cast<std::uint32_t>(record.size())).outcome;
}

std::vector<std::byte> zeros(std::size_t size) { return std::vector<std::byte>(size); }

// head random bytes, the rest zeros.
std::vector<std::byte> random_head(std::size_t size, std::size_t head) {
  std::vector<std::byte> bytes = generate_random(head, 11);
  bytes.resize(size);
  return bytes;
}

}  // namespace

TEST_CASE("zfs policy: zeros are a hole under any compression, and stored in full without") {
  for (const char* compression : {"on", "lzjb", "zle", "lz4", "gzip", "zstd", "zstd-fast"}) {
    const RecordOutcome outcome = decide({{"compression", compression}}, zeros(131072));
    CHECK(outcome == RecordOutcome{RecordKind::hole, RecordReason::hole, 131072, 0, 0, 0});
  }
  const RecordOutcome off = decide({{"compression", "off"}}, zeros(131072));
  CHECK(off == RecordOutcome{RecordKind::raw, RecordReason::compression_off, 131072, 131072, 131072, 131072});
}

TEST_CASE("zfs policy: zeros that end in 8 random bytes are embedded with lz4 up to records of 16K") {
  // An upstream test of OpenZFS (rsend/send-c_embedded_blocks).
  for (std::size_t size = 512; size <= 131072; size *= 2) {
    std::vector<std::byte> record = zeros(size);
    const std::vector<std::byte> tail = generate_random(8, 3);
    std::copy(tail.begin(), tail.end(), record.end() - 8);
    const RecordOutcome outcome = decide({{"compression", "lz4"}, {"recordsize", "128K"}, {"ashift", "9"}}, record);
    INFO(size);
    CHECK((outcome.kind == RecordKind::embedded) == (size <= 16384));
  }
}

TEST_CASE("zfs policy: one non-zero byte at either end makes a record that is no hole") {
  for (const std::size_t at : {std::size_t{0}, std::size_t{65537}, std::size_t{131071}}) {
    std::vector<std::byte> record = zeros(131072);
    record[at] = std::byte{1};
    CHECK(decide({{"compression", "lz4"}}, record).kind == RecordKind::compressed);
    CHECK(decide({{"compression", "zstd"}}, record).kind == RecordKind::embedded);
  }
}

TEST_CASE("zfs policy: what is stored decodes to the record, is zero behind it, and carries its checksum") {
  const std::vector<std::byte> text = generate_text(131072, 5);
  for (const char* compression : {"lzjb", "lz4", "lz4-lib", "gzip-9", "zstd-3", "zstd-fast-5", "zle"}) {
    INFO(compression);
    std::vector<std::byte> record = text;
    if (std::string_view(compression) == "zle") std::fill(record.begin() + 1000, record.end() - 1000, std::byte{0});
    const auto policy = policy_of({{"compression", compression}});
    const auto decider = policy->make_decider();
    const RecordFinding finding = decider->decide(record, 131072);
    REQUIRE(finding.outcome.kind == RecordKind::compressed);
    const ByteView stored = decider->stored();
    CHECK(stored.size() == finding.outcome.psize);
    CHECK(all_zero(stored.subspan(finding.outcome.payload)));
    CHECK(fletcher4(stored) == finding.checksum);
    std::vector<std::byte> back(record.size());
    const auto context = compression_named(compression).make_context();
    REQUIRE(context->decompress(stored, back).has_value());
    CHECK(back == record);
  }
}

TEST_CASE("zfs policy: an embedded payload decodes to the record and nothing is stored") {
  std::vector<std::byte> record = zeros(4096);
  record[100] = std::byte{7};
  const auto policy = policy_of({{"compression", "lz4"}});
  const auto decider = policy->make_decider();
  const RecordFinding finding = decider->decide(record, 4096);
  REQUIRE(finding.outcome.kind == RecordKind::embedded);
  CHECK(decider->stored().empty());
  std::vector<std::byte> back(record.size());
  const ByteView payload = ByteView(finding.embedded).first(finding.outcome.payload);
  REQUIRE(compression_named("lz4").make_context()->decompress(payload, back).has_value());
  CHECK(back == record);
}

TEST_CASE("zfs policy: the end of a file is filled up with zeros") {
  const std::vector<std::byte> tail = generate_random(1, 9);
  const auto policy = policy_of({{"compression", "lz4"}});
  const auto decider = policy->make_decider();
  const RecordFinding finding = decider->decide(tail, 131072);
  std::vector<std::byte> whole = zeros(131072);
  whole[0] = tail[0];
  CHECK(finding.outcome == policy->make_decider()->decide(whole, 131072).outcome);

  // A shorter record after a longer one does not see the longer one's bytes.
  const std::vector<std::byte> longer = generate_random(100000, 10);
  decider->decide(longer, 131072);
  CHECK(decider->decide(tail, 131072).checksum == finding.checksum);
}

TEST_CASE("zfs policy: outcomes do not depend on the records before") {
  const std::vector<std::byte> ramp = generate_ramp(1 << 20, 21);
  for (const char* compression : {"lzjb", "lz4", "gzip-6", "zstd-3"}) {
    const auto policy = policy_of({{"compression", compression}});
    const auto forward = policy->make_decider();
    const auto backward = policy->make_decider();
    std::array<RecordFinding, 8> first;
    for (std::size_t i = 0; i < 8; ++i) first[i] = forward->decide(ByteView(ramp).subspan(i * 131072, 131072), 131072);
    for (std::size_t i = 8; i-- > 0;) {
      const RecordFinding again = backward->decide(ByteView(ramp).subspan(i * 131072, 131072), 131072);
      CHECK(again.outcome == first[i].outcome);
      CHECK(again.checksum == first[i].checksum);
    }
  }
}

TEST_CASE("zfs policy: early abort stores raw since 2.2 what a high level of zstd would have saved before") {
  // ramp.bin has more and more random bytes a record; its last ones are near the keep limit, where zstd-1 fails and
  // zstd-9 just fits.
  const std::vector<std::byte> ramp = corpus_file("ramp.bin");
  std::size_t given_up = 0;
  std::size_t saved_before = 0;
  std::size_t wrong = 0;
  for (std::size_t block = 48; block < 64; ++block) {
    const ByteView record = ByteView(ramp).subspan(block * 131072, 131072);
    const RecordOutcome before = decide({{"version", "2.1"}, {"compression", "zstd-9"}, {"ashift", "9"}}, record);
    const RecordOutcome since = decide({{"version", "2.2"}, {"compression", "zstd-9"}, {"ashift", "9"}}, record);
    if (since.kind == RecordKind::compressed) {
      wrong += since != before;
    } else {
      wrong += since.kind != RecordKind::raw;
      given_up += since.reason == RecordReason::codec_gave_up;
      saved_before += before.kind == RecordKind::compressed;
    }
  }
  CHECK(wrong == 0);
  CHECK(given_up > 0);
  CHECK(saved_before > 0);
}

TEST_CASE("zfs policy: early abort goes on when lz4 fails and zstd-1 saves an eighth") {
  // Bytes of 64 values without any repetition: lz4 saves nothing, entropy coding a quarter.
  Random random(4);
  std::vector<std::byte> record(131072);
  for (auto& byte : record) byte = static_cast<std::byte>(random.below(64));
  CHECK(decide({{"compression", "lz4"}}, record).kind == RecordKind::raw);
  CHECK(decide({{"compression", "zstd-9"}}, record).kind == RecordKind::compressed);
}

TEST_CASE("zfs policy: exact reasons tell what cannot shrink from what shrinks too little or not by a sector") {
  const auto reason = [](std::size_t size, std::size_t head, const char* ashift) {
    return decide({{"compression", "lz4"}, {"exact_reasons", "on"}, {"ashift", ashift}}, random_head(size, head))
        .reason;
  };
  CHECK(reason(131072, 131072, "12") == RecordReason::codec_gave_up);
  CHECK(reason(131072, 120000, "12") == RecordReason::saves_too_little);
  CHECK(reason(8192, 6000, "12") == RecordReason::sector_rounding);
  CHECK(reason(4096, 2000, "12") == RecordReason::sector_rounding);
  CHECK(reason(8192, 6000, "9") == RecordReason::compressed);
  // They say more, and decide the same.
  for (std::size_t head = 0; head <= 8192; head += 512) {
    const auto record = random_head(8192, head);
    RecordOutcome exact = decide({{"compression", "lz4"}, {"exact_reasons", "on"}}, record);
    const RecordOutcome quick = decide({{"compression", "lz4"}}, record);
    exact.reason = quick.reason;
    CHECK(exact == quick);
  }
}

TEST_CASE("zfs policy: the keep limit holds for real codecs, to the byte") {
  // zle copies other bytes at 65 bytes for 64 and packs zeros, so its length is a closed formula of the head.
  const auto zle_length = [](std::size_t head, std::size_t size) {
    const std::size_t zero_runs = (size - head + 191) / 192;
    return head + (head + 63) / 64 + zero_runs;
  };
  // Heads are whole literal runs: a shorter last run needs room for 64 bytes and gives up earlier.
  std::size_t wrong = 0;
  std::size_t kept = 0;
  std::size_t raw = 0;
  for (std::size_t head = 64 * 1730; head < 64 * 1790; head += 64) {
    std::vector<std::byte> record(131072);
    std::fill_n(record.begin(), head, std::byte{0x5a});
    const RecordOutcome outcome = decide({{"compression", "zle"}, {"ashift", "9"}}, record);
    const std::size_t length = zle_length(head, record.size());
    const bool fits = length <= 114688;
    wrong += outcome.kind != (fits ? RecordKind::compressed : RecordKind::raw);
    if (fits) wrong += outcome.payload != length;
    ++(fits ? kept : raw);
  }
  CHECK(wrong == 0);
  CHECK(kept > 0);
  CHECK(raw > 0);
}
