#include "blkpress/sim/scheduler.hpp"

#include <string>
#include <vector>

#include "blkpress/sim/resource.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

Task append_after(Scheduler& scheduler, std::string& log, char name, Duration delay) {
  co_await scheduler.sleep_for(delay);
  log += name;
}

Task inner(Scheduler& scheduler, std::string& log) {
  log += '(';
  co_await scheduler.sleep_for(microseconds(1));
  log += ')';
}

Task outer(Scheduler& scheduler, std::string& log) {
  co_await inner(scheduler, log);
  log += '.';
}

// Counts its own destruction: a Task's frame goes when it ends, and with the Scheduler at the latest.
struct Guard {
  int& count;
  ~Guard() { ++count; }
};

Task guarded(Scheduler& scheduler, int& destroyed, Duration delay) {
  const Guard guard{destroyed};
  co_await scheduler.sleep_for(delay);
}

Task wait_and_log(Condition& condition, std::string& log, char name) {
  co_await condition.wait();
  log += name;
}

Task hold(Scheduler& scheduler, Resource& resource, std::string& log, char name) {
  co_await resource.acquire();
  log += name;
  co_await scheduler.sleep_for(microseconds(1));
  resource.release();
}

}  // namespace

TEST_CASE("scheduler: events run by time, and at equal times in the order in which they were scheduled") {
  Scheduler scheduler;
  std::string log;
  scheduler.spawn(append_after(scheduler, log, 'c', microseconds(2)));
  scheduler.spawn(append_after(scheduler, log, 'a', microseconds(1)));
  scheduler.spawn(append_after(scheduler, log, 'b', microseconds(1)));
  scheduler.spawn(append_after(scheduler, log, 'd', microseconds(2)));
  CHECK(scheduler.run() == 8);
  CHECK(log == "abcd");
  CHECK(scheduler.now() == Instant{2000});
  CHECK(scheduler.unfinished_tasks() == 0);
}

TEST_CASE("scheduler: run_until stops before the first event after the limit, and goes on from there") {
  Scheduler scheduler;
  std::string log;
  for (char name : {'a', 'b', 'c'}) scheduler.spawn(append_after(scheduler, log, name, microseconds(name - 'a')));
  scheduler.run_until(Instant{1000});
  CHECK(log == "ab");
  scheduler.run();
  CHECK(log == "abc");
}

TEST_CASE("scheduler: a task that awaits another goes on when that one is done") {
  Scheduler scheduler;
  std::string log;
  scheduler.spawn(outer(scheduler, log));
  scheduler.run();
  CHECK(log == "().");
}

TEST_CASE("scheduler: frames are destroyed at the end of a task, and with the scheduler") {
  int destroyed = 0;
  {
    Scheduler scheduler;
    for (int i = 0; i < 100; ++i) scheduler.spawn(guarded(scheduler, destroyed, microseconds(i)));
    scheduler.run_until(Instant{49'000});
    CHECK(destroyed == 50);
    CHECK(scheduler.unfinished_tasks() == 50);
  }
  CHECK(destroyed == 100);
}

TEST_CASE("scheduler: a hundred thousand tasks that end in the order of their start do not slow each other down") {
  Scheduler scheduler;
  int destroyed = 0;
  for (int i = 0; i < 100'000; ++i) scheduler.spawn(guarded(scheduler, destroyed, microseconds(i)));
  scheduler.run();
  CHECK(destroyed == 100'000);
}

TEST_CASE("condition: notify_one wakes the first waiter, notify_all the rest in their order") {
  Scheduler scheduler;
  Condition condition(scheduler);
  std::string log;
  for (char name : {'a', 'b', 'c'}) scheduler.spawn(wait_and_log(condition, log, name));
  scheduler.run();
  condition.notify_one();
  scheduler.run();
  CHECK(log == "a");
  condition.notify_all();
  scheduler.run();
  CHECK(log == "abc");
  condition.notify_one();
  CHECK(scheduler.run() == 0);
}

TEST_CASE("resource: waiters are served first in, first out, as many at a time as there are servers") {
  Scheduler scheduler;
  Resource resource(scheduler, 2);
  std::string log;
  for (char name : {'a', 'b', 'c', 'd', 'e'}) scheduler.spawn(hold(scheduler, resource, log, name));
  scheduler.run_until(Instant{0});
  CHECK(log == "ab");
  CHECK(resource.waiting() == 3);
  CHECK(resource.busy() == 2);
  scheduler.run();
  CHECK(log == "abcde");
  CHECK(scheduler.now() == Instant{3000});
  CHECK(resource.busy() == 0);
  CHECK(resource.busy_time_ns() == 5000);
  // Five in the system for the first microsecond, three in the second, one in the third.
  CHECK(resource.population_time_ns() == 9000);
}
