#include "blkpress/ordered_pool.hpp"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <new>
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
  REQUIRE(pool.drain());
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
  REQUIRE(pool.drain());
  CHECK(most <= 4);
  CHECK(clashes == 0);
  CHECK(under_way == 0);
}

TEST_CASE("ordered pool: an idle pool drains and ends") {
  OrderedPool pool(2, 1);
  REQUIRE(pool.drain());
  bool done = false;
  pool.submit([](unsigned) {}, [&done] { done = true; });
  REQUIRE(pool.drain());
  CHECK(done);
}

TEST_CASE("ordered pool: memory that runs out in a piece of work is an error of drain, and nothing behind it is done") {
  const unsigned threads = GENERATE(1U, 3U);
  std::vector<int> order;
  OrderedPool pool(threads, 4);
  for (int i = 0; i < 50; ++i) {
    pool.submit(
        [i](unsigned) {
          if (i == 20) throw std::bad_alloc();
        },
        [&order, i] { order.push_back(i); });
  }
  const Status drained = pool.drain();
  REQUIRE(!drained);
  CHECK(drained.error().message == "out of memory");
  CHECK(pool.failed());
  CHECK(order.size() <= 20);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == static_cast<int>(i));
}

TEST_CASE("ordered pool: work that was never waited for is dropped with the pool") {
  int done = 0;
  {
    OrderedPool pool(2, 100);
    for (int i = 0; i < 10; ++i) pool.submit([](unsigned) {}, [&done] { ++done; });
  }
  CHECK(done <= 10);
}

TEST_CASE("ordered pool: without a thread from the system the caller's own does the work, in order") {
  // No address space holds such a stack, so that no thread can be made.
  pthread_attr_t usual;
  REQUIRE(pthread_getattr_default_np(&usual) == 0);
  pthread_attr_t huge = usual;
  REQUIRE(pthread_attr_setstacksize(&huge, std::size_t{1} << 60) == 0);
  REQUIRE(pthread_setattr_default_np(&huge) == 0);
  std::vector<int> order;
  unsigned threads = 99;
  bool drained = false;
  {
    OrderedPool pool(4, 2);
    threads = pool.threads();
    for (int i = 0; i < 10; ++i)
      pool.submit([&order](unsigned worker) { order.push_back(static_cast<int>(worker)); },
                  [&order, i] { order.push_back(i); });
    drained = pool.drain().has_value();
  }
  REQUIRE(pthread_setattr_default_np(&usual) == 0);
  CHECK(threads == 0);
  CHECK(drained);
  CHECK(order == std::vector<int>{0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8, 0, 9});
}
