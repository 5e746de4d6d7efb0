#include "blkpress/ledger.hpp"

#include "blkpress/size_format.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

ObjectSums object_of(std::uint64_t lsize, std::uint64_t psize, std::uint64_t metadata_psize = 0) {
  ObjectSums object;
  object.data = {.blocks = 1, .lsize = lsize, .psize = psize, .asize = psize, .dsize = psize};
  object.metadata = {.blocks = 1, .psize = metadata_psize, .asize = 2 * metadata_psize, .dsize = 2 * metadata_psize};
  return object;
}

}  // namespace

TEST_CASE("ledger: an empty dataset without any block has ratio 1.00x") {
  const Ledger ledger;
  CHECK(ledger.compressratio_x100() == 100);
  CHECK(ledger.refcompressratio_x100() == 100);
  CHECK(ledger.used() == 0);
}

TEST_CASE("ledger: ratios are truncated, not rounded") {
  Ledger ledger;
  ledger.add(object_of(2449, 1000));
  CHECK(ledger.compressratio_x100() == 244);
  CHECK(format_ratio(ledger.compressratio_x100()) == "2.44x");
}

TEST_CASE("ledger: metadata is neutral in the ratio and counts twice in used") {
  Ledger ledger({.used = 98304, .compressed = 43008, .uncompressed = 43008});
  ledger.add(object_of(1 << 20, 1 << 19, 8192));
  CHECK(ledger.used() == 98304 + (1 << 19) + 2 * 8192);
  CHECK(ledger.referenced() == ledger.used());
  CHECK(ledger.logicalused() == 43008 + (1 << 20) + 8192);
  CHECK(ledger.compressratio_x100() == (43008u + (1 << 20) + 8192) * 100 / (43008 + (1 << 19) + 8192));
}

TEST_CASE("ledger: a parent's compressratio covers its children, its refcompressratio does not") {
  Ledger parent({.used = 100, .compressed = 50, .uncompressed = 50});
  Ledger child({.used = 100, .compressed = 50, .uncompressed = 50});
  child.add(object_of(1950, 950));
  parent.add_child(child);
  CHECK(parent.used() == 100 + 100 + 950);
  CHECK(parent.referenced() == 100);
  CHECK(parent.compressratio_x100() == (50 + 50 + 1950) * 100 / (50 + 50 + 950));
  CHECK(parent.refcompressratio_x100() == 100);

  // And a grandparent's covers both.
  Ledger grandparent;
  grandparent.add_child(parent);
  CHECK(grandparent.used() == parent.used());
  CHECK(grandparent.compressratio_x100() == parent.compressratio_x100());
}

TEST_CASE("ledger: the parent of 2008's three datasets shows 1.71x") {
  // A published session shows 5.52M at 1.00x, 2.51M at 2.21x and 1.65M at 3.37x, and 1.71x for their parent. Each child
  // holds the same bitmap of 5.5 MB; what it stores follows from its own ratio.
  Ledger parent;
  for (const std::uint64_t ratio : {100, 221, 337}) {
    const std::uint64_t lsize = 44 * 131072;
    Ledger child;
    child.add(object_of(lsize, lsize * 100 / ratio));
    parent.add_child(child);
  }
  CHECK(format_ratio(parent.compressratio_x100()) == "1.71x");
}

TEST_CASE("ledger: every reason has its own name, its own words and its own sums") {
  ObjectSums object;
  for (std::size_t i = 0; i < kRecordReasonCount; ++i) object.reasons[i] = {.records = i + 1, .padding = 10 * i};
  Ledger ledger;
  ledger.add(object);
  ledger.add(object);
  for (std::size_t i = 0; i < kRecordReasonCount; ++i) {
    const auto reason = static_cast<RecordReason>(i);
    CHECK(ledger.of(reason).records == 2 * (i + 1));
    CHECK(ledger.of(reason).padding == 20 * i);
    for (std::size_t k = 0; k < i; ++k) CHECK(to_string(reason) != to_string(static_cast<RecordReason>(k)));
  }
  CHECK(describe(RecordReason::saves_too_little) == "raw: saves too little");
  CHECK(to_string(RecordKind::embedded) == "embedded");
}
