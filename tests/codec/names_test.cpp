#include <map>
#include <set>

#include "blkpress/codec.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

std::string canonical(std::string_view text) {
  const auto parsed = parse_compression(text);
  return parsed ? to_string(*parsed) : parsed.error().message;
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("compression names: aliases stand for the levels that OpenZFS documents") {
  // zfsprops(7): gzip = gzip-6, zstd = zstd-3, zstd-fast = zstd-fast-1.
  const std::map<std::string, std::string> expected{
      {"off", "off"},         {"zle", "zle"},     {"lzjb", "lzjb"},   {"lz4", "lz4"},
      {"lz4-lib", "lz4-lib"}, {"gzip", "gzip-6"}, {"zstd", "zstd-3"}, {"zstd-fast", "zstd-fast-1"},
  };
  for (const auto& [text, name] : expected) CHECK(canonical(text) == name);
}

TEST_CASE("compression names: on is what the caller says") {
  CHECK(canonical("on") == "lz4");
  CHECK(to_string(*parse_compression("on", "lzjb")) == "lzjb");
  CHECK(to_string(*parse_compression("off", "lzjb")) == "off");
}

TEST_CASE("compression names: every level has a name that is parsed back") {
  std::set<std::string> names;
  for (const CodecInfo& codec : codecs()) {
    for (const int level : codec.levels) {
      const Compression compression{&codec, level};
      const auto parsed = parse_compression(to_string(compression));
      REQUIRE(parsed);
      CHECK(*parsed == compression);
      names.insert(to_string(compression));
    }
  }
  // What `zfs set compression=` lists: gzip-1…9, zstd-1…19, zstd-fast-1…10, 20…100 by tens, 500, 1000.
  std::set<std::string> expected;
  for (int i = 1; i <= 9; ++i) expected.insert("gzip-" + std::to_string(i));
  for (int i = 1; i <= 19; ++i) expected.insert("zstd-" + std::to_string(i));
  for (int i = 1; i <= 10; ++i) expected.insert("zstd-fast-" + std::to_string(i));
  for (int i = 20; i <= 100; i += 10) expected.insert("zstd-fast-" + std::to_string(i));
  expected.insert({"zstd-fast-500", "zstd-fast-1000"});
  CHECK(names == expected);
}

TEST_CASE("compression names: a wrong one gets an error that says what would be right") {
  for (const char* const wrong : {"gzip-10",
                                  "gzip-0",
                                  "gzip-06",
                                  "gzip-",
                                  "gzip-6 ",
                                  " gzip",
                                  "GZIP",
                                  "zstd-20",
                                  "zstd-0",
                                  "zstd--1",
                                  "zstd-fast-11",
                                  "zstd-fast-0",
                                  "zstd-fast-2000",
                                  "lz5",
                                  "lz4-1",
                                  "off-1",
                                  "on-1",
                                  "",
                                  "-",
                                  "gzip-99999999999999999999"}) {
    const auto parsed = parse_compression(wrong);
    INFO(wrong);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().kind == ErrorKind::usage);
    const std::string& message = parsed.error().message;
    CHECK(contains(message, std::string("compression '") + wrong + "'"));
    for (const char* const right : {"on | off", "zle", "lzjb", "lz4 |", "lz4-lib", "gzip-[1-9]", "zstd-[1-19]",
                                    "zstd-fast-[1-10,20,30,40,50,60,70,80,90,100,500,1000]"}) {
      CHECK(contains(message, right));
    }
  }
}

TEST_CASE("codec registry: every codec has a name, a description, a library and a context for each level") {
  std::set<std::string_view> names;
  for (const CodecInfo& codec : codecs()) {
    INFO(codec.name);
    CHECK(names.insert(codec.name).second);
    CHECK_FALSE(codec.description.empty());
    CHECK_FALSE(codec.library.empty());
    CHECK((codec.library == "own") == codec.library_version().empty());
    CHECK(to_string(compression_named(codec.name)) == canonical(codec.name));
    for (const int level : codec.levels) CHECK(codec.make_context(level) != nullptr);
  }
  CHECK(compression_named("off").is_off());
  CHECK_FALSE(compression_named("lz4").is_off());
  CHECK((names.count("lzo") == 1) == (BLKPRESS_WITH_LZO == 1));
}
