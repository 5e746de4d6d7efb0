#include "blkpress/fio_buffers.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/fio_run.hpp"

using namespace blkpress;

namespace {

FioIoOptions writer(std::uint64_t block, std::uint64_t size) {
  FioIoOptions options;
  options.access.reads = false;
  options.access.writes = true;
  options.access.size = size;
  options.access.block_sizes[1] = {block, block, {}};
  return options;
}

FioTime no_time(std::uint64_t) { return {}; }

}  // namespace

TEST_CASE("fio buffers: looking at some writes only shows the bytes that looking at all shows") {
  const FioIoOptions options = writer(16384, 1 << 20);
  FioBuffers watched(options, false);
  FioBuffers glanced(options, false);
  FioOffsets offsets(options);
  int differences = 0;
  for (std::uint64_t i = 0; const auto io = offsets.next(); ++i) {
    const FioTime time{i / 7, i * 1237 % 1000};
    const std::uint32_t a = watched.acquire();
    const std::uint32_t b = glanced.acquire();
    watched.prepare(a, *io, time);
    glanced.prepare(b, *io, time);
    const ByteView all = watched.bytes(a);
    if (i % 11 == 10) {
      const ByteView some = glanced.bytes(b);
      differences += !std::equal(all.begin(), all.end(), some.begin(), some.end());
    }
    watched.release(a);
    glanced.release(b);
  }
  CHECK(differences == 0);
}

TEST_CASE("fio buffers: scrambling writes offset and time where the rules say") {
  FioBuffers buffers(writer(4096, 8192), false);
  const std::uint32_t buffer = buffers.acquire();
  buffers.prepare(buffer, {FioDirection::write, 4096, 4096, 0}, {12, 345'678'903});
  const ByteView bytes = buffers.bytes(buffer);
  const std::uint64_t line = (345'678'903ULL ^ 4096) & 7;
  for (std::uint64_t block = 0; block < 8; ++block) {
    CHECK(load_le<std::uint64_t>(bytes.data() + 512 * block + 64 * line) == 4096 + 512 * block);
    CHECK(load_le<std::uint64_t>(bytes.data() + 512 * block + 48) == 12);
    CHECK(load_le<std::uint64_t>(bytes.data() + 512 * block + 56) == 345'678'903);
  }
}

TEST_CASE("fio buffers: gtod_reduce scrambles with a time of zero") {
  FioIoOptions options = writer(4096, 8192);
  options.content.gtod_reduce = true;
  CHECK(fio_file_image(options, no_time) == fio_file_image(options, [](std::uint64_t i) {
          return FioTime{i + 1, i + 99};
        }));
}

TEST_CASE("fio buffers: a file gone through twice with refilled buffers repeats from the second fill on") {
  FioIoOptions options = writer(4096, 16384);
  options.content.refill_buffers = true;
  const auto once = fio_file_image(options, no_time);
  options.access.io_size = 32768;
  const auto twice = fio_file_image(options, no_time);
  // The fill at start used the first fill of the stream; lap 1 begins with the second one, lap 2 with the first.
  CHECK(std::equal(once.begin(), once.begin() + 4096 * 3, twice.begin() + 4096));
}

TEST_CASE("fio buffers: a duplicate of dedupe_percentage equals another block, and their share is as asked") {
  FioIoOptions options = writer(4096, 4 << 20);
  options.content.dedupe_percentage = 30;
  for (const FioDedupeMode mode : {FioDedupeMode::repeat, FioDedupeMode::working_set}) {
    options.content.dedupe_mode = mode;
    const auto file = fio_file_image(options, no_time);
    std::vector<std::vector<std::byte>> blocks;
    for (std::size_t at = 0; at < file.size(); at += 4096) {
      blocks.emplace_back(file.begin() + static_cast<std::ptrdiff_t>(at),
                          file.begin() + static_cast<std::ptrdiff_t>(at + 4096));
    }
    std::sort(blocks.begin(), blocks.end());
    const auto unique = std::unique(blocks.begin(), blocks.end()) - blocks.begin();
    CHECK(static_cast<double>(unique) == Approx(0.7 * 1024).margin(75));  // five standard deviations
  }
}

TEST_CASE("fio buffers: a dedupe_percentage of 100 repeats one piece of 512 bytes through the file") {
  FioIoOptions options = writer(4096, 65536);
  options.content.dedupe_percentage = 100;
  const auto file = fio_file_image(options, no_time);
  int different = 0;
  for (std::size_t at = 512; at < file.size(); ++at) different += file[at] != file[at - 512];
  CHECK(different == 0);
}

TEST_CASE("fio fill: of 3.31 is one stream of the golden ratio, truncated at the end") {
  std::vector<std::byte> bytes(19);
  fio_fill(FioFill::of_3_31, 5, bytes);
  CHECK(load_le<std::uint64_t>(bytes.data()) == 5);
  CHECK(load_le<std::uint64_t>(bytes.data() + 8) == 5 * 0x61C8864680B583EBULL);
  const std::uint64_t third = 5 * 0x61C8864680B583EBULL * 0x61C8864680B583EBULL;
  CHECK(bytes[16] == static_cast<std::byte>(third));
  CHECK(bytes[18] == static_cast<std::byte>(third >> 16));
}

TEST_CASE("fio layout: blocks read in any order are those read in order") {
  FioIoOptions options;
  options.access.size = 10 * 65536 + 4096;
  options.access.block_sizes[0] = {65536, 65536, {}};
  for (const std::uint32_t dedupe : {0, 40}) {
    options.content.dedupe_percentage = dedupe;
    FioLayout layout(options);
    std::vector<std::byte> all(layout.size());
    layout.read(0, all);
    for (const std::uint64_t block : {7, 2, 10, 3}) {
      std::vector<std::byte> one(std::min<std::uint64_t>(65536, layout.size() - block * 65536));
      layout.read(block * 65536, one);
      CHECK(std::equal(one.begin(), one.end(), all.begin() + static_cast<std::ptrdiff_t>(block * 65536)));
    }
  }
}
