// What simulated activities wait for: servers with a queue, and conditions.
//
// Waiters are served first in, first out. A waiter that is let through continues through the event queue at the present
// time, after the events already due, so that the order never depends on the depth of a call stack.
// Threads: those of the Scheduler.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>

#include "blkpress/sim/scheduler.hpp"
#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

// A number of equal servers with one queue. co_await resource.acquire(); … resource.release();
class Resource {
 public:
  Resource(Scheduler& scheduler, std::uint32_t servers);  // servers >= 1

  auto acquire() { return Acquire{*this}; }
  void release();  // aborts when nothing is held

  // acquire, hold for the time, release: one activity of a queueing network.
  Task serve(Duration service);

  [[nodiscard]] std::uint32_t busy() const { return busy_; }
  [[nodiscard]] std::size_t waiting() const { return waiters_.size(); }
  // Integral of busy servers over time, in server-nanoseconds, up to now: utilisation = this / (servers x elapsed).
  [[nodiscard]] std::int64_t busy_time_ns() const;
  // Integral of the number of waiting and held places over time, in ns: mean number in the system, for Little's law.
  [[nodiscard]] std::int64_t population_time_ns() const;

 private:
  struct Acquire {
    Resource& resource;
    bool await_ready() const { return resource.try_acquire(); }
    void await_suspend(std::coroutine_handle<> handle) { resource.enqueue(handle); }
    void await_resume() const noexcept {}
  };
  bool try_acquire();
  void enqueue(std::coroutine_handle<> handle);
  void account();

  Scheduler& scheduler_;
  std::uint32_t servers_;
  std::uint32_t busy_ = 0;
  std::deque<std::coroutine_handle<>> waiters_;
  Instant accounted_{};
  std::int64_t busy_time_ns_ = 0;
  std::int64_t population_time_ns_ = 0;
};

// A condition variable: activities wait, another one wakes the first or all of them.
class Condition {
 public:
  explicit Condition(Scheduler& scheduler) : scheduler_(scheduler) {}

  // co_await condition.wait(): always suspends. The waiter must look again at what it waits for.
  auto wait() { return Wait{*this}; }
  void notify_one();
  void notify_all();
  [[nodiscard]] std::size_t waiting() const { return waiters_.size(); }

 private:
  struct Wait {
    Condition& condition;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) { condition.waiters_.push_back(handle); }
    void await_resume() const noexcept {}
  };
  Scheduler& scheduler_;
  std::deque<std::coroutine_handle<>> waiters_;
};

}  // namespace blkpress::sim
