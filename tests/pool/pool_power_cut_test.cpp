// A power cut at every change of a pool's file: it opens, check() is clean, what was flushed is there, and each record
// holds what it held then or something written since.
#include "pool/pool_life.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

// The last that arrives is torn when torn is set.
void apply_some(Image& image, const std::vector<const FileChange*>& pending, std::uint64_t arrive, bool torn,
                Random& random, Undo& undo) {
  const FileChange* last = nullptr;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if ((arrive >> (i % 64) & 1) == 0) continue;
    if (last != nullptr) overwrite(image, last->offset, last->bytes, &undo);
    last = pending[i];
  }
  if (last == nullptr) return;
  for (std::size_t at = 0; at < last->bytes.size(); at += 512) {
    if (torn && random.below(2) == 0) continue;
    const std::size_t count = std::min<std::size_t>(512, last->bytes.size() - at);
    overwrite(image, last->offset + at, ByteView(last->bytes).subspan(at, count), &undo);
  }
}

// Returns at how many points the life was cut.
std::uint64_t cut_everywhere(std::uint64_t seed, unsigned calls) {
  const PoolLife life = record_life(seed, calls);
  Image durable = life.begin;
  std::vector<const FileChange*> pending;
  Random random(seed, 1);
  std::uint64_t cuts = 0;
  for (std::size_t cut = 0; cut <= life.log->size(); ++cut) {
    const bool few = pending.size() <= 6;
    const std::uint64_t trials = few ? std::uint64_t{1} << pending.size() : 16;
    for (std::uint64_t trial = 0; trial < trials; ++trial) {
      Undo undo;
      apply_some(durable, pending, few ? trial : random.next(), random.below(2) == 0, random, undo);
      const std::string wrong = reopen(life, durable, cut, cuts % 16 == 0, undo);
      put_back(durable, undo);
      ++cuts;
      if (wrong.empty()) continue;
      CAPTURE(seed, cut, trial, wrong);
      FAIL("damaged by a power cut");
    }
    if (cut == life.log->size()) break;
    const FileChange& change = (*life.log)[cut];
    if (change.kind == FileChange::Kind::write) pending.push_back(&change);
    if (change.kind != FileChange::Kind::flush) continue;
    for (const FileChange* write : pending) overwrite(durable, write->offset, write->bytes, nullptr);
    pending.clear();
  }
  return cuts;
}

}  // namespace

TEST_CASE("pool: after a power cut at any write it opens, is clean and holds what was flushed") {
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 0; cuts < 3000; ++seed) cuts += cut_everywhere(seed, 40);
  CHECK(cuts >= 2000);
}

TEST_CASE("pool: power cuts at 100,000 points", "[.long]") {
  std::uint64_t cuts = 0;
  for (std::uint64_t seed = 100; cuts < 100'000; ++seed) cuts += cut_everywhere(seed, 120);
  WARN(cuts << " cut points");
}
