// Boundary tests: records that land exactly on the limits of keeping, rounding and embedding, by version.
#include "blkpress/zfs_policy.hpp"

#include <algorithm>
#include <vector>

#include "blkpress/corpus.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

constexpr ZfsVersion k21 = ZfsVersion::release(2, 1);
constexpr ZfsVersion k22 = ZfsVersion::release(2, 2);
constexpr ZfsVersion k23 = ZfsVersion::release(2, 3);
constexpr ZfsVersion k24 = ZfsVersion::release(2, 4);
constexpr ZfsVersion kV23 = ZfsVersion::pool_version(23);

ZfsOptions options(ZfsVersion version, int ashift, std::string_view compression = "lz4") {
  ZfsOptions made = ZfsOptions::defaults(version);
  made.compression = compression_named(compression);
  made.vdev.ashift = ashift;
  return made;
}

ZfsRules rules(ZfsVersion version, int ashift, std::string_view compression = "lz4") {
  return ZfsRules(options(version, ashift, compression));
}

}  // namespace

TEST_CASE("zfs rules: a record that saves less than an eighth is stored raw") {
  for (const ZfsVersion version : {kV23, k21, k22, k23, k24}) {
    const ZfsRules at_9 = rules(version, 9, "lzjb");
    CHECK(at_9.outcome(131072, 114688).kind == RecordKind::compressed);
    CHECK(at_9.outcome(131072, 114688).psize == 114688);
    CHECK(at_9.outcome(131072, 114689).kind == RecordKind::raw);
    CHECK(at_9.outcome(131072, 114689).reason == RecordReason::saves_too_little);
    CHECK(at_9.outcome(131072, std::nullopt).reason == RecordReason::saves_too_little);
    CHECK(at_9.outcome(131072, std::nullopt).psize == 131072);
  }
}

TEST_CASE("zfs rules: an eighth is truncated, and since 2.3 the limit is whole sectors") {
  CHECK(rules(k22, 9).capacity(131072) == 114688);
  CHECK(rules(k22, 12).capacity(49152) == 43008);
  CHECK(rules(k23, 12).capacity(49152) == 40960);
  CHECK(rules(k23, 9).capacity(49152) == 43008);
  CHECK(rules(k22, 12).capacity(4096) == 3584);
  CHECK(rules(k23, 12).capacity(4096) == 112);  // only an embedded record can win
  CHECK(rules(k23, 12).capacity(8192) == 4096);
  CHECK(rules(k23, 9).capacity(512) == 112);
  CHECK(rules(k22, 9).capacity(512) == 448);
  CHECK(rules(k23, 12, "zle").capacity(4096) == 3584);  // zle is exempt
  CHECK(rules(k23, 12, "zle").capacity(49152) == 43008);
  CHECK(rules(kV23, 12, "lzjb").capacity(49152) == 43008);
}

TEST_CASE("zfs rules: a file of 49152 bytes that compresses to 42000 is kept up to 2.2 and raw since 2.3") {
  for (const ZfsVersion version : {k21, k22}) {
    const RecordOutcome outcome = rules(version, 12).outcome(49152, 42000);
    CHECK(outcome.kind == RecordKind::compressed);
    CHECK(outcome.psize == 45056);
    CHECK(outcome.asize == 45056);
    CHECK(outcome.payload == 42000);
  }
  for (const ZfsVersion version : {k23, k24}) {
    const RecordOutcome outcome = rules(version, 12).outcome(49152, 42000);
    CHECK(outcome.kind == RecordKind::raw);
    CHECK(outcome.reason == RecordReason::sector_rounding);
    CHECK(outcome.psize == 49152);
  }
}

TEST_CASE("zfs rules: what fills a sector to the last byte takes that sector, one byte more takes the next") {
  const ZfsRules at_12 = rules(k24, 12);
  CHECK(at_12.outcome(131072, 4096).psize == 4096);
  CHECK(at_12.outcome(131072, 4097).psize == 8192);
  CHECK(at_12.outcome(8192, 4096).psize == 4096);
  CHECK(at_12.outcome(8192, 4097).kind == RecordKind::raw);
  CHECK(at_12.outcome(8192, 4097).reason == RecordReason::sector_rounding);
  const ZfsRules at_9 = rules(k24, 9);
  CHECK(at_9.outcome(8192, 4097).psize == 4608);
}

TEST_CASE("zfs rules: with sectors of 4 KiB a record of 4 KiB is never stored compressed") {
  for (const ZfsVersion version : {k21, k22, k23, k24}) {
    const RecordOutcome outcome = rules(version, 12).outcome(4096, 113);
    CHECK(outcome.kind == RecordKind::raw);
    CHECK(outcome.reason == RecordReason::sector_rounding);
    CHECK(rules(version, 12).outcome(4096, 112).kind == RecordKind::embedded);
  }
}

TEST_CASE("zfs rules: 112 bytes are embedded, 113 take a sector, and pools before feature flags embed nothing") {
  for (const ZfsVersion version : {k21, k22, k23, k24}) {
    const RecordOutcome embedded = rules(version, 12).outcome(131072, 112);
    CHECK(embedded == RecordOutcome{RecordKind::embedded, RecordReason::embedded, 131072, 0, 0, 112});
    const RecordOutcome stored = rules(version, 12).outcome(131072, 113);
    CHECK(stored == RecordOutcome{RecordKind::compressed, RecordReason::compressed, 131072, 4096, 4096, 113});
  }
  CHECK(rules(kV23, 9, "lzjb").outcome(131072, 112).kind == RecordKind::compressed);
  CHECK(rules(kV23, 9, "lzjb").outcome(131072, 112).psize == 512);
}

TEST_CASE("zfs rules: before feature flags psize is a multiple of 512 whatever the sector") {
  const RecordOutcome outcome = rules(kV23, 12, "gzip-6").outcome(131072, 5000);
  CHECK(outcome.psize == 5120);
  CHECK(outcome.asize == 8192);
  // So that a saving is kept, and lowers the ratio's denominator, although no sector is saved.
  CHECK(rules(kV23, 12, "gzip-6").outcome(4096, 3000).kind == RecordKind::compressed);
  CHECK(rules(kV23, 12, "gzip-6").outcome(4096, 3000).psize == 3072);
  CHECK(rules(kV23, 12, "gzip-6").outcome(4096, 3000).asize == 4096);
}

TEST_CASE("zfs rules: a raw record keeps its size, only what is allocated is rounded up") {
  const RecordOutcome outcome = rules(k24, 12).raw(130048, RecordReason::saves_too_little);
  CHECK(outcome.psize == 130048);
  CHECK(outcome.asize == 131072);
}

TEST_CASE("zfs rules: copies multiply what is allocated, not psize") {
  ZfsOptions two = options(k24, 12);
  two.copies = 2;
  CHECK(ZfsRules(two).outcome(131072, 9000).psize == 12288);
  CHECK(ZfsRules(two).outcome(131072, 9000).asize == 24576);
}

TEST_CASE("zfs rules: early abort looks at zstd-3 and up, records of 128 KiB and more, since 2.2") {
  CHECK(!rules(k21, 12, "zstd-19").early_abort(131072));
  for (const ZfsVersion version : {k22, k23, k24}) {
    CHECK(rules(version, 12, "zstd-3").early_abort(131072));
    CHECK(rules(version, 12, "zstd-19").early_abort(1 << 20));
    CHECK(!rules(version, 12, "zstd-3").early_abort(131072 - 512));
    CHECK(!rules(version, 12, "zstd-2").early_abort(131072));
    CHECK(!rules(version, 12, "zstd-fast-1").early_abort(131072));
    CHECK(!rules(version, 12, "gzip-9").early_abort(131072));
  }
}

TEST_CASE("zfs rules: every length at every limit gives the outcome of the rules written out once more") {
  // The sentences of the keep rule as plain arithmetic, over all lengths near a limit.
  std::size_t wrong = 0;
  for (const ZfsVersion version : {k21, k22, k23, k24}) {
    for (int ashift = 9; ashift <= 16; ++ashift) {
      const std::uint64_t sector = std::uint64_t{1} << ashift;
      const ZfsRules tested = rules(version, ashift);
      for (std::uint64_t lsize = 512; lsize <= 262144; lsize += lsize < 16384 ? 512 : 15872) {
        std::uint64_t limit = lsize - lsize / 8;
        if (version >= k23) limit = limit / sector > 0 ? limit - limit % sector : 112;
        for (const std::uint64_t length : {std::uint64_t{1}, std::uint64_t{112}, std::uint64_t{113}, sector, sector + 1,
                                           limit - 1, limit, limit + 1, lsize}) {
          const RecordOutcome outcome = tested.outcome(static_cast<std::uint32_t>(lsize), length);
          const std::uint64_t rounded = (length + sector - 1) / sector * sector;
          RecordKind kind = RecordKind::compressed;
          if (length > limit || length >= lsize) {
            kind = RecordKind::raw;
          } else if (length <= 112) {
            kind = RecordKind::embedded;
          } else if (rounded >= lsize) {
            kind = RecordKind::raw;
          }
          const std::uint64_t psize = kind == RecordKind::compressed ? rounded : kind == RecordKind::raw ? lsize : 0;
          wrong +=
              outcome.kind != kind || outcome.psize != psize || outcome.asize != (psize + sector - 1) / sector * sector;
        }
      }
    }
  }
  CHECK(wrong == 0);
}
