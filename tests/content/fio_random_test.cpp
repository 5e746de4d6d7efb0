#include "blkpress/fio_random.hpp"

#include <algorithm>

#include "blkpress/random.hpp"
#include "content/fio_block_map.hpp"
#include "content/fio_block_sizes.hpp"
#include "content/fio_distribution.hpp"
#include "support/catch.hpp"

using namespace blkpress;

TEST_CASE("fio random: skipping n draws is drawing n times") {
  for (const std::uint64_t count : {0, 1, 511, 512, 513, 1000, 65537, 300001}) {
    FioRandom drawn(1234);
    FioRandom skipped(1234);
    for (std::uint64_t i = 0; i < count; ++i) drawn.next();
    skipped.skip(count);
    INFO(count);
    CHECK(drawn.next() == skipped.next());
    CHECK(drawn.next() == skipped.next());
  }
}

TEST_CASE("fio random: the offset stream repeats by default, also with randseed, and follows it without randrepeat") {
  FioSeeding seeding;
  seeding.job = 3;
  CHECK(FioSeeds(seeding)[FioStream::offset] == 0xb1899bedULL * 3);
  seeding.randseed = 7;
  CHECK(FioSeeds(seeding)[FioStream::offset] == 0xb1899bedULL * 3);
  seeding.randrepeat = false;
  CHECK(FioSeeds(seeding)[FioStream::offset] != 0xb1899bedULL * 3);
  seeding.allrandrepeat = true;
  CHECK(FioSeeds(seeding)[FioStream::buffer] == 0xb1899bedULL * 3 + 9);
}

TEST_CASE("fio random: without randrepeat and randseed the seeds come from the given entropy") {
  FioSeeding seeding;
  seeding.randrepeat = false;
  const std::uint64_t first = FioSeeds(seeding)[FioStream::buffer];
  CHECK(FioSeeds(seeding)[FioStream::buffer] == first);
  seeding.entropy = 2;
  CHECK(FioSeeds(seeding)[FioStream::buffer] != first);
}

TEST_CASE("fio block map: agrees with a list of flags on every search and every run") {
  for (const std::uint64_t blocks : {1, 63, 64, 65, 4095, 4096, 4097, 70000}) {
    FioBlockMap map(blocks);
    std::vector<bool> used(blocks);
    Random random(blocks);
    std::uint64_t wrong = 0;
    while (!map.full()) {
      const std::uint64_t from = random.below(blocks);
      std::uint64_t expected = from;
      while (used[expected]) expected = (expected + 1) % blocks;
      const std::uint64_t found = map.next_free(from);
      wrong += found != expected;
      const std::uint64_t wanted = 1 + random.below(20);
      std::uint64_t run = 0;
      while (run < wanted && found + run < blocks && !used[found + run]) used[found + run++] = true;
      wrong += map.take(found, wanted) != run;
      if (blocks > 10000 && random.below(8) == 0) {  // fill quickly: the list is slow
        for (std::uint64_t b = from; b < std::min(from + 500, blocks); ++b) {
          if (!used[b]) map.take(b, 1);
          used[b] = true;
        }
      }
    }
    INFO(blocks);
    CHECK(wrong == 0);
    CHECK(std::find(used.begin(), used.end(), false) == used.end());
    map.clear();
    CHECK(map.next_free(0) == 0);
  }
}

TEST_CASE("fio lfsr: visits every block once before it repeats, for any size and seed") {
  for (const std::uint64_t blocks : {1, 2, 5, 7, 8, 100, 1000, 4096, 100000}) {
    for (const std::uint64_t seed : {0xb1899bedULL, 7ULL, ~0ULL, 0ULL}) {
      FioLfsr lfsr(blocks, seed);
      std::vector<int> visits(blocks);
      for (std::uint64_t i = 0; i < blocks; ++i) ++visits[lfsr.next()];
      INFO(blocks << " blocks, seed " << seed);
      CHECK(std::count(visits.begin(), visits.end(), 1) == static_cast<std::ptrdiff_t>(blocks));
    }
  }
}

TEST_CASE("fio sizes: bssplit gives each size its share") {
  FioBlockSizes sizes{4096, 131072, {{4096, 50}, {8192, 30}, {131072, {}}}};
  FioBlockSizeStream stream(sizes, false, 1);
  int small = 0;
  int middle = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t size = stream.next(1 << 20);
    small += size == 4096;
    middle += size == 8192;
  }
  CHECK(small == Approx(0.50 * kDraws).margin(800));  // five standard deviations
  CHECK(middle == Approx(0.30 * kDraws).margin(800));
}

TEST_CASE("fio sizes: a range stays inside its limits and on multiples of the smallest block") {
  FioBlockSizeStream stream({4096, 65536, {}}, false, 1);
  int wrong = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t size = stream.next(40960);
    wrong += size < 4096 || size > 40960 || size % 4096 != 0;
  }
  CHECK(wrong == 0);
  CHECK(stream.next(4095) == 0);
}

TEST_CASE("fio skewed offsets: stay inside the file and favour few blocks") {
  const FioDistribution distributions[] = {FioZipf{1.2, {}}, FioPareto{0.2, 0.5}, FioNormal{5, {}}, FioZipf{0.5, 0.1}};
  for (const FioDistribution& distribution : distributions) {
    constexpr std::uint64_t kBlocks = 1000;
    FioSkewedBlocks blocks(distribution, kBlocks, 42);
    std::vector<int> visits(kBlocks);
    int outside = 0;
    for (int i = 0; i < 100000; ++i) {
      const std::uint64_t block = blocks.next();
      block < kBlocks ? ++visits[block] : ++outside;
    }
    CHECK(outside == 0);
    CHECK(*std::max_element(visits.begin(), visits.end()) > 200);  // uniform: 100
  }
}
