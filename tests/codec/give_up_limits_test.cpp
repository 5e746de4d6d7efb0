// Records that land exactly on the capacity at which a codec gives up, which is not always the length of its result.
// The limit is computed here from the result itself, by the rules in words, and tried on both sides.
#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "codec/sample_records.hpp"
#include "codec/slow_decoders.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

using Buffer = std::vector<std::byte>;

// LZJB wants 18 bytes before each group of eight items: a control byte, eight matches, and one more.
std::size_t lzjb_limit(ByteView result, std::size_t size) {
  std::size_t limit = 0;
  std::size_t restored = 0;
  for (std::size_t at = 0; restored < size;) {
    limit = at + 18;
    const auto control = static_cast<unsigned>(result[at++]);
    for (unsigned item = 0; item < 8 && restored < size; ++item) {
      const bool is_match = (control >> item & 1) != 0;
      restored += is_match ? static_cast<std::size_t>(result[at]) / 4 + 3 : 1;
      at += is_match ? 2 : 1;
    }
  }
  return limit;
}

// ZLE wants two bytes before each control byte, and 64 behind the control byte of a literal.
std::size_t zle_limit(ByteView result, std::size_t /*size*/) {
  std::size_t limit = 0;
  for (std::size_t at = 0; at < result.size();) {
    const auto control = static_cast<std::size_t>(result[at]);
    limit = std::max(limit, control < 64 ? at + 1 + 64 : at + 2);
    at += control < 64 ? control + 2 : 1;
  }
  return limit;
}

// LZ4 wants room for literals and 8 bytes before them, for 6 bytes behind each distance, and knows the end exactly.
std::size_t lz4_limit(ByteView result, std::size_t /*size*/) {
  constexpr std::size_t kHeader = 4;
  const auto sequences = lz4_sequences(result.subspan(kHeader));
  BLKPRESS_ASSERT(sequences.has_value());
  std::size_t limit = 0;
  bool follows = false;
  for (const Lz4Sequence& sequence : *sequences) {
    const std::size_t with_token = sequence.token + 1;
    const std::size_t literals = sequence.literals;
    if (sequence.match_length == 0) {
      limit = std::max(limit, with_token + literals + (literals + 240) / 255);
      break;
    }
    if (literals != 0 || !follows) limit = std::max(limit, with_token + literals + 8 + literals / 256);
    const std::size_t extra = literals < 15 ? 0 : (literals - 15) / 255 + 1;
    const std::size_t with_distance = with_token + extra + literals + 2;
    limit = std::max(limit, with_distance + 6 + (sequence.match_length - 4) / 256);
    follows = true;
  }
  return limit + kHeader;
}

// zlib writes to the last byte of the capacity; off is a copy.
std::size_t exact_limit(ByteView result, std::size_t /*size*/) { return result.size(); }

using Limit = std::size_t (*)(ByteView, std::size_t);
const std::map<std::string, Limit>& limits() {
  static const std::map<std::string, Limit> all{
      {"off", exact_limit},    {"zle", zle_limit},       {"lzjb", lzjb_limit},
      {"lz4", lz4_limit},      {"gzip-1", exact_limit},  {"gzip-6", exact_limit},
      {"gzip-9", exact_limit}, {"lz4-lib", exact_limit}, {"lzo", exact_limit}};
  return all;
}

Buffer bytes(std::initializer_list<int> values) {
  Buffer buffer;
  for (const int value : values) buffer.push_back(static_cast<std::byte>(value));
  return buffer;
}

Buffer counted(std::size_t size) {  // no byte like the one before, no zero, no match
  Buffer buffer;
  for (std::size_t i = 0; i < size; ++i) buffer.push_back(static_cast<std::byte>(1 + i % 255));
  return buffer;
}

// The smallest capacity that is enough, found by trying all up to the result's own worst case.
std::size_t smallest_capacity(std::string_view compression, ByteView record) {
  const auto context = compression_named(compression).make_context();
  Buffer target(worst_case(record.size()));
  std::size_t capacity = 0;
  while (!context->compress(record, ByteSpan(target).first(capacity))) ++capacity;
  return capacity;
}

}  // namespace

TEST_CASE("codec limits: each codec takes the capacity that its rules demand and not one byte less") {
  for (const auto& [name, limit] : limits()) {
    if (name == "lzo" && BLKPRESS_WITH_LZO == 0) continue;
    INFO(name);
    const auto context = compression_named(name).make_context();
    Buffer target(worst_case(200'000));
    int too_early = 0;
    int too_late = 0;
    int otherwise = 0;
    for (const std::string_view kind : kinds_of_content()) {
      for (const std::size_t size :
           {1UL, 12UL, 13UL, 14UL, 70UL, 500UL, 512UL, 4096UL, 16384UL, 65546UL, 65547UL, 131072UL}) {
        const ByteView record = sample_record(kind, size);
        const auto length = context->compress(record, target);
        REQUIRE(length);
        const Buffer result(target.begin(), target.begin() + static_cast<std::ptrdiff_t>(*length));
        // A codec never writes more than it has, whatever its own limit.
        const std::size_t needed = std::max(limit(result, size), result.size());
        const auto at_limit = context->compress(record, ByteSpan(target).first(needed));
        too_early += !at_limit;
        otherwise += at_limit && !std::equal(result.begin(), result.end(), target.begin());
        too_late += needed > 0 && context->compress(record, ByteSpan(target).first(needed - 1)).has_value();
      }
    }
    CHECK(too_early == 0);
    CHECK(too_late == 0);
    CHECK(otherwise == 0);
  }
}

TEST_CASE("codec limits: no level of zstd gives other bytes under a smaller capacity than it needs") {
  for (const char* const name : {"zstd-1", "zstd-3", "zstd-fast-10"}) {
    INFO(name);
    const auto context = compression_named(name).make_context();
    Buffer target(worst_case(20'000));
    for (const std::string_view kind : kinds_of_content()) {
      const ByteView record = sample_record(kind, 20'000);
      const auto length = context->compress(record, target);
      REQUIRE(length);
      CHECK_FALSE(context->compress(record, ByteSpan(target).first(std::min<std::size_t>(*length, 17) - 1)));
    }
  }
}

TEST_CASE("codec limits: lzjb wants 18 bytes before every group") {
  // 8 literals: one group of 9 bytes. 9 literals: a second group at 9, hence 27.
  CHECK(smallest_capacity("lzjb", counted(8)) == 18);
  CHECK(smallest_capacity("lzjb", counted(9)) == 27);
  CHECK(smallest_capacity("lzjb", counted(80)) == 9 * 9 + 18);
}

TEST_CASE("codec limits: zle wants the longest literal's room for every literal") {
  CHECK(smallest_capacity("zle", counted(1)) == 65);
  CHECK(smallest_capacity("zle", counted(64)) == 65);
  CHECK(smallest_capacity("zle", counted(65)) == 65 + 65);
  // Zeros: one byte of result, but two of room. 193 zeros are two runs.
  CHECK(smallest_capacity("zle", Buffer(192)) == 2);
  CHECK(smallest_capacity("zle", Buffer(193)) == 3);
  // A zero between other bytes stays in the literal; two end it; one at the end is a run of its own.
  CHECK(smallest_capacity("zle", bytes({1, 0, 1})) == 65);
  CHECK(smallest_capacity("zle", bytes({1, 0, 0, 1})) == 1 + 1 + 1 + 65);
  CHECK(smallest_capacity("zle", bytes({1, 0})) == 65);
}

TEST_CASE("codec limits: lz4 knows exactly what the last literals need") {
  // Header 4, token 1, the literals, and a byte from 15 on, another from 270 on.
  for (const auto& [literals, extra] :
       std::map<std::size_t, std::size_t>{{1, 0}, {12, 0}, {14, 0}, {15, 1}, {269, 1}}) {
    CHECK(smallest_capacity("lz4", sample_record("random", literals)) == 4 + 1 + literals + extra);
  }
  CHECK(smallest_capacity("lz4", sample_record("random", 270)) == 4 + 1 + 270 + 2);
}

TEST_CASE("codec limits: the header of lz4 counts towards the capacity") {
  // 1000 times 'A': one literal, a match of 994 (4 + 15 + 3 * 255 + 210), five literals: 1 + 1 + 2 + 4 + 6.
  CHECK(smallest_capacity("lz4", Buffer(1000, std::byte{'A'})) == 4 + 14);
}

TEST_CASE("codec limits: lz4 gives up in good time where OpenZFS's estimates fall short") {
  // A match of 16 MiB needs some 65,000 bytes of length, 257 more than length / 256.
  const auto context = compression_named("lz4").make_context();
  const ByteView record = sample_record("zeros", kLargestRecord);
  Buffer target(worst_case(kLargestRecord));
  const auto length = context->compress(record, target);
  REQUIRE(length);
  for (std::size_t capacity = *length - 400; capacity < *length + 3; ++capacity) {
    Buffer exact(capacity);
    CHECK(context->compress(record, exact).has_value() == (capacity >= *length));
  }
}
