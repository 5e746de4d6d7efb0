#include "blkpress/sim/scheduler.hpp"

#include <algorithm>

#include "blkpress/result.hpp"

namespace blkpress::sim {

Scheduler::~Scheduler() {
  for (const auto& task : tasks_) task.destroy();
}

void Scheduler::spawn_at(Instant when, Task task) {
  auto handle = task.release();
  Task::Promise& promise = handle.promise();
  promise.on_done = &Scheduler::task_done;
  promise.owner = this;
  promise.owner_index = tasks_.size();
  tasks_.push_back(handle);
  resume_at(when, handle);
}

void Scheduler::task_done(void* scheduler, std::coroutine_handle<Task::Promise> handle) {
  auto& tasks = static_cast<Scheduler*>(scheduler)->tasks_;
  const std::size_t index = handle.promise().owner_index;
  BLKPRESS_ASSERT(index < tasks.size() && tasks[index] == handle);
  tasks[index] = tasks.back();
  tasks[index].promise().owner_index = index;
  tasks.pop_back();
  handle.destroy();
}

void Scheduler::push(Instant when, void (*function)(void*), void* context) {
  BLKPRESS_ASSERT(when >= now_);
  const Event event{when, next_sequence_++, function, context};
  std::size_t hole = heap_.size();
  heap_.push_back(event);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 4;
    if (!before(event, heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = event;
}

Scheduler::Event Scheduler::pop() {
  const Event top = heap_.front();
  const Event last = heap_.back();
  heap_.pop_back();
  const std::size_t size = heap_.size();
  if (size == 0) return top;
  std::size_t hole = 0;
  while (true) {
    const std::size_t first = hole * 4 + 1;
    if (first >= size) break;
    std::size_t least = first;
    const std::size_t end = std::min(first + 4, size);
    for (std::size_t child = first + 1; child < end; ++child) {
      if (before(heap_[child], heap_[least])) least = child;
    }
    if (!before(heap_[least], last)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = last;
  return top;
}

std::uint64_t Scheduler::run() { return run_until(Instant{INT64_MAX}); }

std::uint64_t Scheduler::run_until(Instant limit) {
  const std::uint64_t before_run = events_;
  while (!heap_.empty() && heap_.front().when <= limit) {
    const Event event = pop();
    now_ = event.when;
    ++events_;
    if (event.function != nullptr) {
      event.function(event.context);
    } else {
      std::coroutine_handle<>::from_address(event.context).resume();
    }
  }
  return events_ - before_run;
}

}  // namespace blkpress::sim
