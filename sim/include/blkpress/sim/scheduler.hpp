// Scheduler: the clock and the event queue of one simulation.
//
// Events run in the order of (time, sequence number of their scheduling), so that a simulation is the same on every
// machine. An event resumes a coroutine or calls a function with a context pointer.
// Threads: one Scheduler, one thread; several Schedulers may run in several threads.
#pragma once

#include <coroutine>
#include <cstdint>
#include <vector>

#include "blkpress/sim/task.hpp"
#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  ~Scheduler();  // destroys the Tasks that have not finished

  [[nodiscard]] Instant now() const { return now_; }

  // Starts a Task at the present time, after the events already due. The Scheduler owns it.
  void spawn(Task task) { spawn_at(now_, std::move(task)); }
  void spawn_at(Instant when, Task task);

  // Schedules one event; when >= now(). The caller keeps context alive until then.
  void resume_at(Instant when, std::coroutine_handle<> handle) { push(when, nullptr, handle.address()); }
  void call_at(Instant when, void (*function)(void* context), void* context) { push(when, function, context); }

  // co_await scheduler.sleep_for(d): continues d later (d >= 0), after the events already due then.
  auto sleep_for(Duration d) { return Sleep{*this, now_ + d}; }
  auto sleep_until(Instant when) { return Sleep{*this, when < now_ ? now_ : when}; }

  // Runs until no event is left, or until the next one lies after `limit`. Returns the number of events run.
  std::uint64_t run();
  std::uint64_t run_until(Instant limit);

  // No event is left.
  [[nodiscard]] bool idle() const { return heap_.empty(); }
  // Events run since the start.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  // Tasks spawned and not finished: after run() they wait for something that will never happen.
  [[nodiscard]] std::size_t unfinished_tasks() const { return tasks_.size(); }

 private:
  struct Sleep {
    Scheduler& scheduler;
    Instant when;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) { scheduler.resume_at(when, handle); }
    void await_resume() const noexcept {}
  };
  // function null: context is the address of a coroutine to resume.
  struct Event {
    Instant when;
    std::uint64_t sequence;
    void (*function)(void*);
    void* context;
  };
  static bool before(const Event& a, const Event& b) {
    return a.when != b.when ? a.when < b.when : a.sequence < b.sequence;
  }
  static void task_done(void* scheduler, std::coroutine_handle<Task::Promise> handle);
  void push(Instant when, void (*function)(void*), void* context);
  Event pop();

  Instant now_{};
  std::uint64_t next_sequence_ = 0;
  std::uint64_t events_ = 0;
  std::vector<Event> heap_;                                  // four children a node: fewer cache misses than two
  std::vector<std::coroutine_handle<Task::Promise>> tasks_;  // owned; each knows its index
};

}  // namespace blkpress::sim
