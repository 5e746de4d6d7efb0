// Processor: the cores of a host, shared by threads.
//
// Ordinary threads take turns: a thread keeps its core until it blocks, or until its time slice is used up and another
// one waits. Urgent threads (the kernel's I/O threads run at a higher priority) go before all ordinary ones and are not
// sliced; they get a core at the end of an ordinary thread's present burst, so bursts should be short.
// Threads: those of the Scheduler.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>

#include "blkpress/sim/scheduler.hpp"
#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

class Processor {
 public:
  // A simulated thread, owned by the caller; it must outlive its last run().
  struct Thread {
    bool urgent = false;
    std::uint64_t voluntary_switches = 0;    // gave up its core to wait
    std::uint64_t involuntary_switches = 0;  // lost its core to another thread
    Duration cpu_time{};
    // What the Processor keeps between two bursts.
    bool running = false;
    Duration slice_used{};
    Duration burst{};
    std::coroutine_handle<> continuation;
    Processor* processor = nullptr;
  };

  // cores >= 1. slice: how long a thread runs while others wait (Linux' fair scheduler: 3 ms on two CPUs).
  Processor(Scheduler& scheduler, std::uint32_t cores, Duration slice);

  // co_await processor.run(thread, burst): continues when the thread has computed for that long.
  auto run(Thread& thread, Duration burst) { return Run{*this, thread, burst}; }

  // The thread is about to wait for something other than the processor. No effect when it holds no core.
  void block(Thread& thread);

  [[nodiscard]] std::uint32_t cores() const { return cores_; }
  [[nodiscard]] std::uint32_t busy() const { return busy_; }

 private:
  struct Run {
    Processor& processor;
    Thread& thread;
    Duration burst;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) { processor.start(thread, burst, handle); }
    void await_resume() const noexcept {}
  };
  static void burst_ended(void* thread);
  void start(Thread& thread, Duration burst, std::coroutine_handle<> handle);
  void compute(Thread& thread);
  void give_up_core();

  Scheduler& scheduler_;
  std::uint32_t cores_;
  Duration slice_;
  std::uint32_t busy_ = 0;
  std::deque<Thread*> urgent_;
  std::deque<Thread*> ordinary_;
};

}  // namespace blkpress::sim
