#include "codec/slow_decoders.hpp"

#include <map>
#include <string>

#include "codec/sample_records.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

TEST_CASE("slow decoders: what zle, lzjb and lz4 write of any content and size is read by a second decoder") {
  const std::map<std::string, std::optional<Record> (*)(ByteView, std::size_t)> decoders{
      {"zle", decode_zle_slowly},
      {"lzjb", decode_lzjb_slowly},
      {"lz4", decode_lz4_slowly},
      {"lz4-lib", decode_lz4_slowly}};
  std::vector<std::size_t> sizes{0,   1,   2,    3,    12,   13,    14,    65,     66,      67,
                                 192, 193, 1023, 1024, 1025, 65546, 65547, 131072, 3 * kMiB};
  for (std::size_t size = 4; size < 3000; size += 37) sizes.push_back(size);
  std::vector<std::byte> target(worst_case(3 * kMiB));
  for (const auto& [name, decode] : decoders) {
    INFO(name);
    const auto context = compression_named(name).make_context();
    int damaged = 0;
    for (const std::string_view kind : kinds_of_content()) {
      for (const std::size_t size : sizes) {
        const ByteView record = sample_record(kind, size);
        const auto length = context->compress(record, target);
        REQUIRE(length);
        const auto decoded = decode(ByteView(target).first(*length), size);
        damaged += !decoded || !std::equal(record.begin(), record.end(), decoded->begin(), decoded->end());
      }
    }
    CHECK(damaged == 0);
  }
}

TEST_CASE("slow decoders: an LZ4 block obeys the format's rules for its end") {
  // LZ4 block format: the last 5 bytes are literals, and the last match starts 12 bytes before the end or earlier.
  const auto context = compression_named("lz4").make_context();
  std::vector<std::byte> target(worst_case(131072));
  int late = 0;
  for (const std::string_view kind : kinds_of_content()) {
    for (std::size_t size = 13; size < 131072; size += 1 + size / 3) {
      const auto length = context->compress(sample_record(kind, size), target);
      REQUIRE(length);
      const auto sequences = lz4_sequences(ByteView(target).subspan(4, *length - 4));
      REQUIRE(sequences);
      std::size_t at = 0;
      for (const Lz4Sequence& sequence : *sequences) {
        at += sequence.literals;
        if (sequence.match_length != 0) late += at + 12 > size || at + sequence.match_length + 5 > size;
        at += sequence.match_length;
      }
      late += at != size || sequences->back().match_length != 0;
    }
  }
  CHECK(late == 0);
}
