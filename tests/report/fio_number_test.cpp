// How fio abbreviates numbers. Expected strings are those printed in the documents and by fio 3.33 itself.
#include <string>
#include <utility>

#include "blkpress/sim/fio_statistics.hpp"
#include "support/catch.hpp"

using namespace blkpress::sim;

TEST_CASE("fio number: IOPS of the documents") {
  const auto iops = [](std::uint64_t ios, std::uint64_t ms) { return fio_number(ios * 1000 / ms, 4, false, ""); };
  CHECK(iops(81920, 73305) == "1117");
  CHECK(iops(81920, 432137) == "189");
  CHECK(iops(81920, 147117) == "556");
  CHECK(iops(81920, 67020) == "1222");
  CHECK(iops(1048576, 14734) == "71.2k");
  CHECK(iops(1048576, 3616) == "290k");
  CHECK(iops(1048576, 3891) == "269k");
  CHECK(iops(1048576, 4369) == "240k");
  CHECK(iops(65536, 5853) == "11.2k");
  CHECK(iops(5120, 1043) == "4908");
}

TEST_CASE("fio number: bandwidths of the documents, in powers of 1024 and of 1000") {
  struct Row {
    std::uint64_t bytes;
    std::uint64_t ms;
    std::string binary;
    std::string decimal;
  };
  constexpr std::uint64_t k10G = 10737418240;
  constexpr std::uint64_t k4G = 4294967296;
  for (const Row& row : {Row{k10G, 73305, "140MiB/s", "146MB/s"}, Row{k10G, 432137, "23.7MiB/s", "24.8MB/s"},
                         Row{k10G, 147117, "69.6MiB/s", "73.0MB/s"}, Row{k10G, 67020, "153MiB/s", "160MB/s"},
                         Row{k10G, 71840, "143MiB/s", "149MB/s"}, Row{k10G, 70371, "146MiB/s", "153MB/s"},
                         Row{k4G, 14734, "278MiB/s", "292MB/s"}, Row{k4G, 3616, "1133MiB/s", "1188MB/s"},
                         Row{k4G, 3891, "1053MiB/s", "1104MB/s"}, Row{k4G, 4369, "938MiB/s", "983MB/s"},
                         Row{268435456, 5853, "43.7MiB/s", "45.9MB/s"}, Row{671088640, 127, "5039MiB/s", "5284MB/s"}}) {
    CHECK(fio_number(row.bytes * 1000 / row.ms, 4, true, "B/s") == row.binary);
    CHECK(fio_number(row.bytes * 1000 / row.ms, 4, false, "B/s") == row.decimal);
  }
}

TEST_CASE("fio number: totals and block sizes of the documents") {
  CHECK(fio_number(10737418240, 4, true, "B") == "10.0GiB");
  CHECK(fio_number(10737418240, 4, false, "B") == "10.7GB");
  CHECK(fio_number(4294967296, 4, true, "B") == "4096MiB");
  CHECK(fio_number(4294967296, 4, false, "B") == "4295MB");
  CHECK(fio_number(268435456, 4, true, "B") == "256MiB");
  CHECK(fio_number(268435456, 4, false, "B") == "268MB");
  CHECK(fio_number(4096, 4, true, "B") == "4096B");
  CHECK(fio_number(131072, 4, true, "B") == "128KiB");
}

TEST_CASE("fio number: a fraction that rounds up to one carries into the integer") {
  CHECK(fio_number(71'970, 4, false, "") == "72.0k");
  CHECK(fio_number(0, 4, false, "") == "0");
  CHECK(fio_number(147529, 6, false, "") == "147529");
}
