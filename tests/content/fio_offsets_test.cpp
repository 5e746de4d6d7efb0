#include "blkpress/fio_offsets.hpp"

#include <algorithm>
#include <set>

#include "support/catch.hpp"
#include "support/fio_run.hpp"

using namespace blkpress;

namespace {

FioIoOptions random_writer(std::uint64_t size) {
  FioIoOptions options;
  options.access.reads = false;
  options.access.writes = true;
  options.access.random = true;
  options.access.size = size;
  return options;
}

std::vector<FioIo> all_of(const FioIoOptions& options, std::size_t most = 100000) {
  std::vector<FioIo> ios;
  FioOffsets offsets(options);
  while (ios.size() < most) {
    const auto io = offsets.next();
    if (!io) break;
    ios.push_back(*io);
  }
  return ios;
}

}  // namespace

TEST_CASE("fio offsets: with a map every byte is written once, whatever the block sizes") {
  FioIoOptions options = random_writer(1 << 20);
  options.access.block_sizes[1] = {4096, 65536, {}};
  std::vector<int> writes(256);
  for (const FioIo& io : all_of(options)) {
    for (std::uint64_t at = io.offset; at < io.offset + io.length; at += 4096) ++writes[at / 4096];
  }
  CHECK(std::count(writes.begin(), writes.end(), 1) == 256);
}

TEST_CASE("fio offsets: a second lap with a map repeats the first, and goes on without randrepeat") {
  FioIoOptions options = random_writer(1 << 20);
  options.access.loops = 2;
  auto ios = all_of(options);
  REQUIRE(ios.size() == 512);
  int different = 0;
  for (std::size_t i = 0; i < 256; ++i) different += ios[i].offset != ios[i + 256].offset;
  CHECK(different == 0);
  CHECK(ios[255].lap == 0);
  CHECK(ios[256].lap == 1);
  options.seeding.randrepeat = false;
  ios = all_of(options);
  for (std::size_t i = 0; i < 256; ++i) different += ios[i].offset != ios[i + 256].offset;
  CHECK(different > 200);
}

TEST_CASE("fio offsets: rw=randwrite:4 draws once and follows with three blocks") {
  FioIoOptions options = random_writer(64 << 20);
  options.access.norandommap = true;
  options.access.sequence = 4;
  const auto ios = all_of(options, 400);
  int jumps = 0;
  for (std::size_t i = 1; i < ios.size(); ++i) jumps += ios[i].offset != ios[i - 1].offset + 4096;
  CHECK(jumps >= 98);
  CHECK(jumps <= 100);
}

TEST_CASE("fio offsets: percentage_random and rwmixread give their shares") {
  FioIoOptions options = random_writer(1 << 30);
  options.access.norandommap = true;
  options.access.percentage_random = {20, 20};
  auto ios = all_of(options, 20000);
  int sequential = 0;
  for (std::size_t i = 1; i < ios.size(); ++i) sequential += ios[i].offset == ios[i - 1].offset + 4096;
  CHECK(sequential == Approx(16000).margin(300));
  options.access.reads = true;
  options.access.rwmixread = 30;
  ios = all_of(options, 20000);
  const auto reads = std::count_if(ios.begin(), ios.end(), [](auto& io) { return io.direction == FioDirection::read; });
  CHECK(static_cast<double>(reads) == Approx(6000).margin(330));
}

TEST_CASE("fio offsets: zoned accesses fall into their zones") {
  FioIoOptions options = random_writer(100 * 4096 * 10);
  options.access.norandommap = true;
  options.access.distribution = FioZones{{{50, 5}, {30, 15}, {20, 80}}};
  int first = 0;
  int second = 0;
  const auto ios = all_of(options, 1000);
  for (const FioIo& io : ios) {
    const std::uint64_t percent = io.offset * 100 / options.access.size;
    first += percent < 5;
    second += percent >= 5 && percent < 20;
  }
  CHECK(first == Approx(500).margin(80));
  CHECK(second == Approx(300).margin(73));
}

TEST_CASE("fio offsets: a job ends at its size, its io_size or its number of I/Os, and time_based never") {
  FioIoOptions options = random_writer(1 << 20);
  CHECK(all_of(options).size() == 256);
  options.access.number_ios = 10;
  CHECK(all_of(options).size() == 10);
  options.access.number_ios = 0;
  options.access.io_size = 8192;
  CHECK(all_of(options).size() == 2);
  options.access.time_based = true;
  CHECK(all_of(options, 5000).size() == 5000);
}

TEST_CASE("fio offsets: an offset moves all I/Os, and a size that is no multiple of the block is rounded down") {
  FioIoOptions options = random_writer(10 * 4096 + 100);
  options.access.offset = 1 << 20;
  const auto ios = all_of(options);
  CHECK(ios.size() == 10);
  std::set<std::uint64_t> offsets;
  for (const FioIo& io : ios) offsets.insert(io.offset);
  CHECK(*offsets.begin() == 1 << 20);
  CHECK(*offsets.rbegin() == (1 << 20) + 9 * 4096);
}

TEST_CASE("fio options: what cannot be run is refused with the option's name") {
  FioIoOptions options = random_writer(1 << 20);
  CHECK(check(options).has_value());
  const auto refused = [&](auto change, std::string_view part) {
    FioIoOptions changed = options;
    change(changed);
    const Status status = check(changed);
    REQUIRE_FALSE(status.has_value());
    INFO(status.error().message);
    CHECK(status.error().message.find(part) != std::string::npos);
  };
  refused([](auto& o) { o.access.size = 0; }, "size");
  refused([](auto& o) { o.access.size = 100; }, "block size");
  refused([](auto& o) { o.access.size = 1ULL << 50; }, "norandommap");
  refused([](auto& o) { o.access.size = ~0ULL; }, "more than");
  refused([](auto& o) { o.access.offset = ~0ULL; }, "more than");
  refused([](auto& o) { o.access.loops = ~0ULL; }, "loops");
  refused([](auto& o) { o.access.block_sizes[1] = {0, 0, {}}; }, "block size");
  refused([](auto& o) { o.access.block_sizes[1] = {4096, 1ULL << 40, {}}; }, "block size");
  refused([](auto& o) { o.access.block_sizes[1] = {4096, 8192, {{4096, 60}, {8192, 60}}}; }, "bssplit");
  refused([](auto& o) { o.access.block_align[1] = 0; }, "blockalign");
  refused([](auto& o) { o.access.rwmixread = 101; }, "rwmixread");
  refused([](auto& o) { o.access.distribution = FioZipf{1.0, {}}; }, "zipf");
  refused([](auto& o) { o.access.distribution = FioPareto{1.0, {}}; }, "pareto");
  refused([](auto& o) { o.access.distribution = FioNormal{-1, {}}; }, "normal");
  refused([](auto& o) { o.access.distribution = FioZipf{1.2, 7.0}; }, "centre");
  refused([](auto& o) { o.access.distribution = FioZones{{{50, 100}}}; }, "zoned");
  refused([](auto& o) { o.content.compress_percentage = 101; }, "buffer_compress_percentage");
  refused([](auto& o) { o.content.dedupe_percentage = 101; }, "dedupe_percentage");
  refused([](auto& o) { o.content.depth = 0; }, "iodepth");
  refused([](auto& o) { o.content.depth = 1 << 30; }, "iodepth");
}
