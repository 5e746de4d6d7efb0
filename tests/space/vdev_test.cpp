#include "blkpress/vdev.hpp"

#include "blkpress/bytes.hpp"
#include "support/catch.hpp"

using namespace blkpress;

TEST_CASE("vdev: text and geometry are each other's inverse") {
  for (const char* text : {"file", "mirror:2", "mirror:3", "raidz1:3", "raidz2:6", "raidz3:8"}) {
    const auto vdev = VdevGeometry::parse(text, 12);
    REQUIRE(vdev.has_value());
    CHECK(vdev->to_string() == text);
  }
  CHECK(VdevGeometry::parse("raidz:3", 9)->to_string() == "raidz1:3");
  CHECK(VdevGeometry::parse("disk", 9)->to_string() == "file");
}

TEST_CASE("vdev: what is no vdev gets a message that says what would be right") {
  const auto message = [](const char* text, int ashift) { return VdevGeometry::parse(text, ashift).error().message; };
  CHECK(message("raidz4:6", 12) == "vdev 'raidz4:6' is not one of: file | mirror:N | raidz1:N | raidz2:N | raidz3:N");
  CHECK(message("raidz2", 12) == "vdev 'raidz2' is not one of: file | mirror:N | raidz1:N | raidz2:N | raidz3:N");
  CHECK(message("mirror:x", 12) == "vdev 'mirror:x' is not one of: file | mirror:N | raidz1:N | raidz2:N | raidz3:N");
  CHECK(message("raidz2:2", 12) == "vdev 'raidz2:2' has 2 children; raidz2 takes 3 to 255");
  CHECK(message("mirror:1", 12) == "vdev 'mirror:1' has 1 children; mirror takes 2 to 255");
  CHECK(message("file", 8) == "ashift 8 is not between 9 and 16");
  CHECK(message("file", 17) == "ashift 17 is not between 9 and 16");
}

TEST_CASE("vdev: raidz allocates parity per row and rounds up to a multiple of parity + 1") {
  const VdevGeometry raidz1x5 = *VdevGeometry::parse("raidz1:5", 12);
  CHECK(raidz1x5.asize(128 * kKiB) == 163840);
  CHECK(raidz1x5.deflate_ratio() == 409);
  CHECK(raidz1x5.deflated(163840) == 130880);  // less than the 128 KiB stored
  CHECK(raidz1x5.asize(4096) == 8192);
  CHECK(raidz1x5.deflated(8192) == 6544);

  const VdevGeometry raidz2x6 = *VdevGeometry::parse("raidz2:6", 12);
  const auto five = raidz2x6.sectors(5 * 4096);  // two rows: 5 data, 4 parity, rounded up to a multiple of 3
  CHECK(five.data == 5);
  CHECK(five.parity == 4);
  CHECK(five.skip == 0);
  const auto two = raidz2x6.sectors(8192);
  CHECK(two.data + two.parity == 4);
  CHECK(two.skip == 2);
}

TEST_CASE("vdev: a mirror counts one side, and only whole sectors are allocated") {
  const VdevGeometry mirror = *VdevGeometry::parse("mirror:2", 12);
  CHECK(mirror.asize(130048) == 131072);
  CHECK(mirror.asize(1) == 4096);
  CHECK(mirror.deflate_ratio() == 512);
  CHECK(mirror.deflated(8192) == 8192);
}
