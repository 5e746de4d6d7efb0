#include "blkpress/ordered_pool.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "blkpress/random.hpp"
#include "support/catch.hpp"

using namespace blkpress;

TEST_CASE("ordered pool: results come in the order of submission whatever each piece takes") {
  const unsigned threads = GENERATE(1U, 2U, 7U);
  Random random(threads);
  std::vector<int> order;
  OrderedPool pool(threads, 5);
  for (int i = 0; i < 200; ++i) {
    const auto delay = std::chrono::microseconds(random.below(200));
    pool.submit([delay](unsigned) { std::this_thread::sleep_for(delay); }, [&order, i] { order.push_back(i); });
  }
  pool.drain();
  REQUIRE(order.size() == 200);
  for (int i = 0; i < 200; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("ordered pool: no more pieces are under way than allowed, and no worker runs two at once") {
  std::atomic<int> under_way = 0;
  std::atomic<int> most = 0;
  std::vector<std::atomic<int>> busy(3);
  std::atomic<int> clashes = 0;
  OrderedPool pool(3, 4);
  for (int i = 0; i < 300; ++i) {
    pool.submit(
        [&](unsigned worker) {
          if (busy[worker]++ != 0) ++clashes;
          const int now = ++under_way;
          int seen = most;
          while (now > seen && !most.compare_exchange_weak(seen, now)) {
          }
          --busy[worker];
        },
        [&] { --under_way; });
  }
  pool.drain();
  CHECK(most <= 4);
  CHECK(clashes == 0);
  CHECK(under_way == 0);
}

TEST_CASE("ordered pool: an idle pool drains and ends") {
  OrderedPool pool(2, 1);
  pool.drain();
  bool done = false;
  pool.submit([](unsigned) {}, [&done] { done = true; });
  pool.drain();
  CHECK(done);
}
