// A power cut at every change of a pool's file: it opens, check() is clean, what was flushed is there, and each record
// holds what it held then or something written since.
#include "pool/pool_life.hpp"
#include "pool/power_cut.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

std::uint64_t cut_life(std::uint64_t seed, unsigned calls) {
  const PoolLife life = record_life(seed, calls);
  return cut_everywhere(life.begin, *life.log, seed,
                        [&](Image& image, std::size_t cut, std::uint64_t number, Undo& undo) {
                          return reopen(life, image, cut, number % 16 == 0, undo);
                        });
}

}  // namespace

TEST_CASE("pool: after a power cut at any write it opens, is clean and holds what was flushed") {
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 0; cuts < 3000; ++seed) cuts += cut_life(seed, 40);
  CHECK(cuts >= 2000);
}

TEST_CASE("pool: power cuts at 100,000 points", "[.long]") {
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 100; cuts < 100'000; ++seed) cuts += cut_life(seed, 120);
  WARN(cuts << " cut points");
}
