#include <algorithm>

#include "blkpress/bitmap_image.hpp"
#include "blkpress/codec.hpp"
#include "blkpress/event_table.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

constexpr std::size_t kRecord = 131072;

// logical / stored for records of 128 KiB under the rule that a record must save an eighth.
double ratio(RecordContent& content, std::uint64_t records, std::string_view compression, std::uint64_t sector) {
  const auto codec = compression_named(compression).make_context();
  std::vector<std::byte> record(kRecord);
  std::vector<std::byte> target(kRecord - kRecord / 8);
  std::uint64_t stored = 0;
  for (std::uint64_t i = 0; i < records; ++i) {
    content.fill(i, record);
    const auto size = codec->compress(record, target);
    stored += size ? std::min<std::uint64_t>(round_up(*size, sector), kRecord) : kRecord;
  }
  return static_cast<double>(records * kRecord) / static_cast<double>(stored);
}

}  // namespace

TEST_CASE("bitmap: the default image is 44 records long and a valid file of 24 bits a pixel") {
  const BitmapImage image({});
  CHECK(image.size() == 54 + 1600 * 1200 * 3);
  CHECK((image.size() + kRecord - 1) / kRecord == 44);
  std::vector<std::byte> header(64);
  image.read(0, header);
  CHECK(header[0] == std::byte{'B'});
  CHECK(load_le<std::uint32_t>(header.data() + 2) == image.size());
  CHECK(load_le<std::uint32_t>(header.data() + 10) == 54);
  CHECK(load_le<std::uint16_t>(header.data() + 28) == 24);
}

TEST_CASE("bitmap: parts read in any order are those of the whole") {
  const BitmapImage image({.width = 333, .height = 100, .textured_share = 0.5, .seed = 3});
  std::vector<std::byte> all(image.size());
  image.read(0, all);
  for (const std::uint64_t offset : {0, 10, 53, 54, 55, 1000, 99999}) {
    std::vector<std::byte> part(1500, std::byte{1});
    image.read(offset, part);
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < part.size(); ++i) {
      wrong += part[i] != (offset + i < all.size() ? all[offset + i] : std::byte{0});
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("bitmap: more texture compresses less, and one knob meets the published ratio of lzjb, 2.21") {
  double before = 1000;
  for (const double knob : {0.0, 0.25, 0.5, 1.0}) {
    const double now = ratio(*bitmap_content(1, knob), 44, "lzjb", 512);
    CHECK(now < before);
    before = now;
  }
  CHECK(ratio(*bitmap_content(1, 0.329), 44, "lzjb", 512) == Approx(2.21).epsilon(0.005));
}

TEST_CASE("event table: pages are made in any order and look like PostgreSQL's") {
  const EventTable table({.free_share = 0.2});
  std::vector<std::byte> all(16 * EventTable::kPageSize);
  table.read(0, all);
  std::vector<std::byte> one(EventTable::kPageSize);
  for (const std::uint64_t page : {11, 3, 15}) {
    table.read(page * EventTable::kPageSize, one);
    CHECK(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(page * EventTable::kPageSize)));
    const auto lower = load_le<std::uint16_t>(one.data() + 12);
    const auto upper = load_le<std::uint16_t>(one.data() + 14);
    CHECK(lower > 24);
    CHECK(lower <= upper);
    const auto pointer = load_le<std::uint32_t>(one.data() + lower - 4);  // of the last tuple, which lies lowest
    CHECK((pointer & 0x7fff) == upper);
  }
}

TEST_CASE("event table: one knob meets the published ratio of lz4, 2.54, and gzip and zstd then follow within 5 %") {
  const auto content = database_content(1, 0.24);
  constexpr std::uint64_t kRecords = 128;
  CHECK(ratio(*content, kRecords, "lz4", 4096) == Approx(2.54).epsilon(0.01));
  CHECK(ratio(*content, kRecords, "gzip-6", 4096) == Approx(3.33).epsilon(0.05));
  CHECK(ratio(*content, kRecords, "zstd-3", 4096) == Approx(3.51).epsilon(0.05));
}

TEST_CASE("record content: a name or a knob that does not exist is refused") {
  CHECK(make_record_content("zeros", 1, 0).has_value());
  CHECK(make_record_content("bitmap", 1, 0.5).has_value());
  CHECK(make_record_content("database", 1, 0.5).has_value());
  const auto unknown = make_record_content("pictures", 1, 0);
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().message ==
        "content 'pictures' is unknown; there are zeros, urandom, bitmap, database, vm_image, mixed_files");
  const auto knob = make_record_content("bitmap", 1, 1.5);
  REQUIRE_FALSE(knob.has_value());
  CHECK(knob.error().message == "knob 1.5 of content 'bitmap' is not between 0 and 1");
}
