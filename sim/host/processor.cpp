#include "blkpress/sim/processor.hpp"

#include "blkpress/result.hpp"

namespace blkpress::sim {

Processor::Processor(Scheduler& scheduler, std::uint32_t cores, Duration slice)
    : scheduler_(scheduler), cores_(cores), slice_(slice) {
  BLKPRESS_ASSERT(cores >= 1);
}

void Processor::start(Thread& thread, Duration burst, std::coroutine_handle<> handle) {
  BLKPRESS_ASSERT(burst.ns >= 0);
  thread.processor = this;
  thread.continuation = handle;
  thread.burst = burst;
  if (thread.running) {
    compute(thread);
  } else if (busy_ < cores_) {
    ++busy_;
    thread.running = true;
    thread.slice_used = {};
    compute(thread);
  } else {
    (thread.urgent ? urgent_ : ordinary_).push_back(&thread);
  }
}

void Processor::compute(Thread& thread) { scheduler_.call_at(scheduler_.now() + thread.burst, &burst_ended, &thread); }

void Processor::burst_ended(void* context) {
  auto& thread = *static_cast<Thread*>(context);
  Processor& self = *thread.processor;
  thread.cpu_time += thread.burst;
  thread.slice_used += thread.burst;
  const bool turn_over = thread.slice_used >= self.slice_ && !self.ordinary_.empty();
  if (!thread.urgent && (!self.urgent_.empty() || turn_over)) {
    ++thread.involuntary_switches;
    thread.running = false;
    self.give_up_core();
  }
  thread.continuation.resume();
}

void Processor::block(Thread& thread) {
  if (!thread.running) return;
  ++thread.voluntary_switches;
  thread.running = false;
  give_up_core();
}

void Processor::give_up_core() {
  auto& queue = urgent_.empty() ? ordinary_ : urgent_;
  if (queue.empty()) {
    --busy_;
    return;
  }
  Thread& next = *queue.front();
  queue.pop_front();
  next.running = true;
  next.slice_used = {};
  compute(next);
}

}  // namespace blkpress::sim
