// The cache's order against a list that is searched from end to end.
#include "filesystem/lru_records.hpp"

#include <algorithm>
#include <list>
#include <utility>
#include <vector>

#include "blkpress/random.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

// Oldest first.
class SlowLru {
 public:
  explicit SlowLru(std::uint64_t capacity) : capacity_(capacity) {}
  std::vector<std::uint32_t> use(std::uint32_t record, std::uint32_t bytes) {
    entries_.remove_if([&](const auto& entry) { return entry.first == record; });
    entries_.emplace_back(record, bytes);
    std::vector<std::uint32_t> gone;
    while (used() > capacity_ && entries_.size() > 1) {
      gone.push_back(entries_.front().first);
      entries_.pop_front();
    }
    return gone;
  }
  [[nodiscard]] std::uint64_t used() const {
    std::uint64_t sum = 0;
    for (const auto& entry : entries_) sum += entry.second;
    return sum;
  }

 private:
  std::uint64_t capacity_;
  std::list<std::pair<std::uint32_t, std::uint32_t>> entries_;
};

}  // namespace

TEST_CASE("lru records: evicts what a list searched from end to end evicts") {
  const std::uint64_t seed = GENERATE(1, 2, 3);
  Random random(seed, 0);
  LruRecords fast(1000);
  SlowLru slow(1000);
  std::size_t differences = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto record = static_cast<std::uint32_t>(random.below(60));
    // Now and then one that is larger than the cache.
    const auto bytes = static_cast<std::uint32_t>(1 + random.below(i % 500 == 0 ? 2000 : 100));
    std::vector<std::uint32_t> gone;
    fast.use(record, bytes, [&](std::uint32_t evicted) { gone.push_back(evicted); });
    if (gone != slow.use(record, bytes) || fast.used_bytes() != slow.used()) ++differences;
  }
  CHECK(differences == 0);
}
