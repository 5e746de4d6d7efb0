// Random operations on a pool and on a plain model of it; after each reopening both hold the same, and the accounts add
// up as OpenZFS's own tests ask for.
#include <fmt/format.h>

#include "pool/image_file.hpp"
#include "pool/pool_model.hpp"
#include "support/catch.hpp"
#include "support/must.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

// One life of a pool. Returns what is wrong, or nothing.
std::string live(std::uint64_t seed) {
  Image image;
  PoolModel model(seed);
  const auto why = [&](const Status& status) { return fmt::format("seed {}: {}", seed, status.error().message); };
  const PoolOptions options = repeatable(1 + seed % 3);
  auto pool = Pool::create(std::make_unique<ImageFile>(image),
                           {.size = 24 * kMiB, .ashift = static_cast<unsigned>(9 + 3 * (seed % 2))}, options);
  if (!pool) return pool.error().message;
  const std::uint64_t empty = std::stoull((*pool)->get("", "used")->value);
  const std::uint64_t reopenings = 1 + seed % 3;
  for (std::uint64_t i = 0; i < reopenings; ++i) {
    for (std::uint64_t steps = 10 + model.random().below(60); steps > 0; --steps) {
      if (Status done = model.step(**pool); !done) return why(done);
    }
    if (Status done = (*pool)->close(); !done) return why(done);
    pool = Pool::open(std::make_unique<ImageFile>(image), options);
    if (!pool) return fmt::format("seed {}: {}", seed, pool.error().message);
    if (Status done = model.compare(**pool); !done) return why(done);
  }
  if (Status done = model.destroy_everything(**pool); !done) return why(done);
  if (Status done = model.compare(**pool); !done) return why(done);
  if (std::stoull((*pool)->get("", "used")->value) != empty)
    return fmt::format("seed {}: used is not what it was", seed);
  return "";
}

}  // namespace

TEST_CASE("pool: random operations leave what a plain model says, and accounts that add up") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string wrong = live(seed);
    if (!wrong.empty()) FAIL(wrong);
  }
}

TEST_CASE("pool: one sequence of BLKPRESS_SEED", "[.debug]") {
  const char* seed = std::getenv("BLKPRESS_SEED");
  const std::string wrong = live(seed == nullptr ? 0 : std::stoull(seed));
  if (!wrong.empty()) FAIL(wrong);
}

TEST_CASE("pool: 10,000 sequences of random operations", "[.long]") {
  for (std::uint64_t seed = 1000; seed < 11'000; ++seed) {
    const std::string wrong = live(seed);
    if (!wrong.empty()) FAIL(wrong);
  }
}
