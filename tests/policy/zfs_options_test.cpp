#include <algorithm>
#include <string>
#include <vector>

#include "blkpress/zfs_policy.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

ZfsOptions parsed(std::initializer_list<Property> properties) {
  const auto options = ZfsOptions::parse(std::vector<Property>(properties));
  if (!options) FAIL(options.error().message);
  return *options;
}

std::string message(std::initializer_list<Property> properties) {
  const auto options = ZfsOptions::parse(std::vector<Property>(properties));
  REQUIRE(!options.has_value());
  CHECK(options.error().kind == ErrorKind::usage);
  return options.error().message;
}

}  // namespace

TEST_CASE("zfs options: defaults are those of the version") {
  CHECK(to_string(parsed({}).compression) == "lz4");
  CHECK(parsed({}).recordsize == 131072);
  CHECK(parsed({}).version == ZfsVersion::release(2, 4));
  CHECK(parsed({}).vdev.ashift == 12);
  CHECK(to_string(parsed({{"version", "2.2"}}).compression) == "lz4");
  CHECK(to_string(parsed({{"version", "2.1"}}).compression) == "off");
  CHECK(to_string(parsed({{"version", "v28"}}).compression) == "off");
  CHECK(parsed({{"version", "v28"}}).vdev.ashift == 9);
  CHECK(parsed({{"layout", "volume"}}).recordsize == 16384);
  CHECK(parsed({{"layout", "volume"}, {"version", "2.1"}}).recordsize == 8192);
}

TEST_CASE("zfs options: on is lz4, and lzjb before feature flags") {
  CHECK(to_string(parsed({{"compression", "on"}}).compression) == "lz4");
  CHECK(to_string(parsed({{"compression", "on"}, {"version", "2.1"}}).compression) == "lz4");
  CHECK(to_string(parsed({{"compression", "on"}, {"version", "v13"}}).compression) == "lzjb");
  CHECK(to_string(parsed({{"compression", "gzip"}, {"version", "v13"}}).compression) == "gzip-6");
}

TEST_CASE("zfs options: sizes are read as zfs set reads them") {
  CHECK(parsed({{"recordsize", "1M"}}).recordsize == kMiB);
  CHECK(parsed({{"recordsize", "16M"}}).recordsize == 16 * kMiB);
  CHECK(parsed({{"recordsize", "512"}}).recordsize == 512);
  CHECK(parsed({{"layout", "volume"}, {"volblocksize", "64k"}}).recordsize == 65536);
}

TEST_CASE("zfs options: what is out of range gets a message that says what would be right") {
  CHECK(message({{"recordsize", "100000"}}) == "recordsize 100000 is not a power of two between 512 and 16777216");
  CHECK(message({{"recordsize", "256"}}) == "recordsize 256 is not a power of two between 512 and 16777216");
  CHECK(message({{"recordsize", "0"}}) == "recordsize 0 is not a power of two between 512 and 16777216");
  CHECK(message({{"recordsize", "32M"}}) == "recordsize 33554432 is not a power of two between 512 and 16777216");
  CHECK(message({{"version", "2.1"}, {"recordsize", "2M"}}) ==
        "recordsize 2097152 is not a power of two between 512 and 1048576");
  CHECK(message({{"version", "v28"}, {"recordsize", "256K"}}) ==
        "recordsize 262144 is not a power of two between 512 and 131072");
  CHECK(message({{"layout", "volume"}, {"volblocksize", "3K"}}) ==
        "volblocksize 3072 is not a power of two between 512 and 16777216");
  CHECK(message({{"recordsize", "big"}}) ==
        "recordsize: size 'big' is not a whole number of bytes below 2^64, such as 131072, 128K or 1.5M");
  CHECK(message({{"volblocksize", "8K"}}) == "volblocksize is not a property of a file system; set recordsize");
  CHECK(message({{"layout", "volume"}, {"recordsize", "8K"}}) ==
        "recordsize is not a property of a volume; set volblocksize");
  CHECK(message({{"ashift", "8"}}) == "ashift 8 is not between 9 and 16");
  CHECK(message({{"ashift", "x"}}) == "ashift x is not between 9 and 16");
  CHECK(message({{"copies", "4"}}) == "copies 4 is not between 1 and 3");
  CHECK(message({{"layout", "dir"}}) == "layout 'dir' is not one of: file | volume");
  CHECK(message({{"exact_reasons", "yes"}}) == "exact_reasons 'yes' is not one of: on | off");
  CHECK(message({{"vdev", "raidz2:2"}}) == "vdev 'raidz2:2' has 2 children; raidz2 takes 3 to 255");
  CHECK(message({{"colour", "red"}}).find("policy zfs has no property 'colour'; it has version, ") == 0);
  for (const char* version : {"", "2", "2.0", "2.5", "3.1", "v12", "v29", "28", "2.4x", "2.1.", "v"}) {
    CHECK(message({{"version", version}}) ==
          "version '" + std::string(version) + "' is not one of: 2.1 | 2.2 | 2.3 | 2.4 | v13 to v28");
  }
}

TEST_CASE("zfs options: a codec that the version does not have is refused") {
  CHECK(message({{"version", "v28"}, {"compression", "lz4"}}) ==
        "compression lz4 is not one that zfs v28 has: on | off | zle | lzjb | gzip");
  CHECK(message({{"version", "v19"}, {"compression", "zle"}}) ==
        "compression zle is not one that zfs v19 has: on | off | lzjb | gzip");
  CHECK(to_string(parsed({{"version", "v20"}, {"compression", "zle"}}).compression) == "zle");
  CHECK(message({{"version", "v28"}, {"compression", "zstd"}}).find("compression zstd-3 is not one that zfs v28 has") ==
        0);
  CHECK(message({{"compression", "brotli"}}).find("compression 'brotli' is not one of: ") == 0);
}

TEST_CASE("zfs options: a point release counts as its series, versions are ordered by age") {
  CHECK(*ZfsVersion::parse("2.1.2") == ZfsVersion::release(2, 1));
  CHECK(*ZfsVersion::parse("v23") == ZfsVersion::pool_version(23));
  CHECK(ZfsVersion::parse("v23")->to_string() == "v23");
  CHECK(ZfsVersion::release(2, 3).to_string() == "2.3");
  CHECK(ZfsVersion::pool_version(13) < ZfsVersion::pool_version(28));
  CHECK(ZfsVersion::pool_version(28) < ZfsVersion::release(2, 1));
  CHECK(ZfsVersion::release(2, 1) < ZfsVersion::release(2, 2));
}

TEST_CASE("policies: every listed one can be made from its defaults and gives back its properties") {
  CHECK(!policies().empty());
  for (const PolicyInfo& info : policies()) {
    INFO(info.name);
    CHECK(!info.description.empty());
    const auto policy = make_policy(info.name, {});
    REQUIRE(policy.has_value());
    const std::vector<Property> properties = (*policy)->properties();
    for (const Property& property : properties) CHECK(info.properties.find(property.name) != std::string_view::npos);
    const auto again = make_policy(info.name, properties);
    REQUIRE(again.has_value());
    CHECK((*again)->properties() == properties);
    CHECK((*policy)->max_unit_bytes() >= (*policy)->unit_bytes(1));

    // A record of each kind can be decided and summed.
    const auto decider = (*policy)->make_decider();
    const auto account = (*policy)->make_account();
    const std::vector<std::byte> bytes(100000, std::byte{1});
    account->begin(bytes.size());
    const std::uint32_t unit = (*policy)->unit_bytes(bytes.size());
    for (std::size_t at = 0; at < bytes.size(); at += unit) {
      account->add(decider->decide(ByteView(bytes).subspan(at, std::min<std::size_t>(unit, bytes.size() - at)), unit));
    }
    CHECK(account->finish().bytes == bytes.size());
  }
}

TEST_CASE("policies: an unknown name gets the list of those there are") {
  const auto policy = make_policy("ext4", {});
  REQUIRE(!policy.has_value());
  CHECK(policy.error().message == "policy 'ext4' is not one of: zfs | btrfs | f2fs | vdo");
}
