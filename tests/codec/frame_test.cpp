// What stands around the compressed data inside a record, byte by byte, as OpenZFS lays it out.
#include <zlib.h>

#include <algorithm>

#include "codec/sample_records.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

using Buffer = std::vector<std::byte>;

Buffer compressed(std::string_view compression, ByteView record) {
  Buffer target(worst_case(record.size()));
  const auto size = compression_named(compression).make_context()->compress(record, target);
  BLKPRESS_ASSERT(size.has_value());
  target.resize(*size);
  return target;
}

bool reads(std::string_view compression, ByteView stored, ByteView record) {
  Buffer restored(record.size());
  return compression_named(compression).make_context()->decompress(stored, restored).has_value() &&
         std::equal(record.begin(), record.end(), restored.begin());
}

}  // namespace

TEST_CASE("codec frames: lz4 and lz4-lib begin with the big-endian length of the block and read each other") {
  for (const std::size_t size : {5UL, 4096UL, 131072UL}) {
    const ByteView record = sample_record("text", size);
    for (const char* const writer : {"lz4", "lz4-lib"}) {
      const Buffer stored = compressed(writer, record);
      CHECK(load_be<std::uint32_t>(stored.data()) == stored.size() - 4);
      CHECK(reads("lz4", stored, record));
      CHECK(reads("lz4-lib", stored, record));
    }
  }
}

TEST_CASE("codec frames: zstd begins with its length, OpenZFS's level and the library's version") {
  struct Case {
    const char* compression;
    int level;  // OpenZFS, include/sys/zio_compress.h, enum zio_zstd_levels
  };
  const ByteView record = sample_record("text", 4096);
  unsigned version = 0;  // "1.5.4" is stored as 10504
  const std::string text = compression_named("zstd").codec->library_version();
  unsigned major = 0;
  unsigned minor = 0;
  unsigned patch = 0;
  REQUIRE(std::sscanf(text.c_str(), "%u.%u.%u", &major, &minor, &patch) == 3);
  version = major * 10000 + minor * 100 + patch;
  for (const auto& [compression, level] :
       {Case{"zstd-1", 1}, Case{"zstd-3", 3}, Case{"zstd-19", 19}, Case{"zstd-fast-1", 103}, Case{"zstd-fast-10", 112},
        Case{"zstd-fast-20", 113}, Case{"zstd-fast-100", 121}, Case{"zstd-fast-500", 122},
        Case{"zstd-fast-1000", 123}}) {
    INFO(compression);
    const Buffer stored = compressed(compression, record);
    CHECK(load_be<std::uint32_t>(stored.data()) == stored.size() - 8);
    CHECK(static_cast<int>(stored[4]) == level);
    CHECK((load_be<std::uint32_t>(stored.data() + 4) & 0xffffff) == version);
    // No magic number, and a frame header that announces neither checksum nor content size (RFC 8878, 3.1.1.1.1).
    CHECK(load_le<std::uint32_t>(stored.data() + 8) != 0xFD2FB528);
    CHECK((stored[8] & std::byte{0b11100111}) == std::byte{0});
    CHECK(reads("zstd", stored, record));
    CHECK(reads("zstd-fast", stored, record));
  }
}

TEST_CASE("codec frames: gzip gives the bytes of zlib's compress2, record after record") {
  for (const int level : {1, 4, 6, 9}) {
    const auto context = compression_named("gzip-" + std::to_string(level)).make_context();
    for (const std::string_view kind : kinds_of_content()) {
      const ByteView record = sample_record(kind, 50'000);
      Buffer expected(worst_case(record.size()));
      uLongf size = expected.size();
      REQUIRE(compress2(reinterpret_cast<Bytef*>(expected.data()), &size, reinterpret_cast<const Bytef*>(record.data()),
                        record.size(), level) == Z_OK);
      expected.resize(size);
      Buffer target(worst_case(record.size()));
      const auto ours = context->compress(record, target);
      REQUIRE(ours);
      target.resize(*ours);
      CHECK(target == expected);
    }
  }
}

TEST_CASE("codec frames: lzjb, zle and off have none") {
  const Buffer record{std::byte{'a'}, std::byte{'b'}, std::byte{0}, std::byte{0}, std::byte{0}};
  CHECK(compressed("off", record) == record);
  // Control byte 0: five literals.
  CHECK(compressed("lzjb", record) ==
        Buffer{std::byte{0}, std::byte{'a'}, std::byte{'b'}, std::byte{0}, std::byte{0}, std::byte{0}});
  // 1: two literals; 64 + 2: three zeros.
  CHECK(compressed("zle", record) == Buffer{std::byte{1}, std::byte{'a'}, std::byte{'b'}, std::byte{66}});
}
