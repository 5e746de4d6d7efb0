#include "blkpress/size_format.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "blkpress/bytes.hpp"
#include "blkpress/random.hpp"
#include "support/catch.hpp"

using namespace blkpress;

TEST_CASE("size format: sizes print as zfs list prints them") {
  // Printed by a real zfs, or by the words of its own comments.
  const std::pair<std::uint64_t, const char*> printed[] = {{98304, "96K"},
                                                           {5873664, "5.60M"},
                                                           {10239, "10.0K"},
                                                           {102399, "100K"},
                                                           {1048575, "1024K"},
                                                           {1536, "1.50K"},
                                                           {1023, "1023B"},
                                                           {1024, "1K"},
                                                           {0, "0B"},
                                                           {512, "512B"},
                                                           {131072, "128K"},
                                                           {kTiB, "1T"},
                                                           {kTiB * 1024 * 1024, "1E"}};
  for (const auto& [bytes, text] : printed) CHECK(format_size(bytes) == text);
}

TEST_CASE("size format: sizes without a unit letter, as before OpenZFS 0.7 and for logicalused") {
  CHECK(format_size(0, SizeUnit::bare) == "0");
  CHECK(format_size(512, SizeUnit::bare) == "512");
  CHECK(format_size(1536, SizeUnit::bare) == "1.50K");
}

TEST_CASE("size format: what a v23 pool listed") {
  // zfs list: 21K for a new file system, 85.5K for its parent; ls -ls and zfs list show 5638 KiB and a little more
  // as 5.53M.
  CHECK(format_size(21504, SizeUnit::bare) == "21K");
  CHECK(format_size(87552, SizeUnit::bare) == "85.5K");
  CHECK(format_size((5638 + 21) * kKiB, SizeUnit::bare) == "5.53M");
  CHECK(format_size(563 * kMiB + 1000, SizeUnit::bare) == "563M");
}

TEST_CASE("size format: every value equals the same rule written with printf") {
  // The rule in the C library's own rounding, for values that a double holds exactly.
  const auto slow = [](std::uint64_t bytes) -> std::string {
    int index = 0;
    std::uint64_t unit = 1;
    for (std::uint64_t n = bytes; n >= 1024; n /= 1024, unit *= 1024) ++index;
    if (index == 0) return fmt::format("{}B", bytes);
    if (bytes % unit == 0) return fmt::format("{}{}", bytes / unit, "BKMGTPE"[index]);
    char text[64];
    for (int decimals = 2; decimals >= 0; --decimals) {
      const double value = static_cast<double>(bytes) / static_cast<double>(unit);
      if (std::snprintf(text, sizeof text, "%.*f%c", decimals, value, "BKMGTPE"[index]) <= 5) break;
    }
    return text;
  };
  Random random(7);
  std::size_t wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t bytes = random.next() >> (11 + random.below(53));
    wrong += format_size(bytes) != slow(bytes);
  }
  for (std::uint64_t bytes = 0; bytes < 300000; ++bytes) wrong += format_size(bytes) != slow(bytes);
  CHECK(wrong == 0);
}

TEST_CASE("size format: ratios have two digits, and no x when they are to be parsed") {
  CHECK(format_ratio(100) == "1.00x");
  CHECK(format_ratio(244) == "2.44x");
  CHECK(format_ratio(7976) == "79.76x");
  CHECK(format_ratio(105, true) == "1.05");
}

TEST_CASE("size format: sizes are read as zfs set reads them") {
  const std::pair<const char*, std::uint64_t> read[] = {{"0", 0},
                                                        {"131072", 131072},
                                                        {"128K", 131072},
                                                        {"128k", 131072},
                                                        {"128KB", 131072},
                                                        {"128KiB", 131072},
                                                        {"1.5M", 1572864},
                                                        {"0.5K", 512},
                                                        {"512B", 512},
                                                        {"16M", 16 * kMiB},
                                                        {"1T", kTiB},
                                                        {"2P", 2048 * kTiB},
                                                        {"15E", 15ULL << 60},
                                                        {"18446744073709551615", ~0ULL}};
  for (const auto& [text, bytes] : read) {
    const auto size = parse_size(text);
    INFO(text);
    REQUIRE(size.has_value());
    CHECK(*size == bytes);
  }
}

TEST_CASE("size format: what is no size gets a message that names it") {
  for (const char* text : {"", "K", "128Q", "12 K", "-1", "1.", "1..5K", "0.3K", "1.5", "16E", "18446744073709551616",
                           "99999999999999999999999", "1KBB", "1BB", "1iB", "0x10", "1e3", "99999999999999999999E"}) {
    INFO(text);
    const auto size = parse_size(text);
    REQUIRE(!size.has_value());
    CHECK(size.error().kind == ErrorKind::usage);
    CHECK(size.error().message.find(fmt::format("size '{}' is not", text)) == 0);
  }
}
