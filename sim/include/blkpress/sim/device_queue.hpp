// DeviceQueue: requests on their way to a device, in virtual time.
//
// A device that serves requests as they come (queue_depth() of 1) gets each at once. One that wants to choose gets one
// at a time: whenever it is free, it picks among the oldest requests that wait, as many as its queue holds. What a
// callback submits at the moment when its request is complete still takes part in that choice.
// Threads: those of the Scheduler.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "blkpress/sim/device.hpp"
#include "blkpress/sim/scheduler.hpp"

namespace blkpress::sim {

class DeviceQueue {
 public:
  // Both must outlive the queue, and the queue all its requests.
  DeviceQueue(Scheduler& scheduler, DeviceModel& device)
      : scheduler_(scheduler), device_(device), depth_(device.queue_depth()) {}
  DeviceQueue(const DeviceQueue&) = delete;
  DeviceQueue& operator=(const DeviceQueue&) = delete;

  // Calls done(context) when the request is complete, as an event of its own. The caller keeps context alive until
  // then.
  void submit(const DeviceRequest& request, void (*done)(void* context), void* context);

  // co_await queue.serve(request): continues when the request is complete.
  auto serve(const DeviceRequest& request) { return Service{*this, request}; }

  // Requests that were submitted and are not complete, for a device that chooses; otherwise 0.
  [[nodiscard]] std::size_t pending() const { return visible_.size() + beyond_.size() + (busy_ ? 1 : 0); }

 private:
  struct Waiter {
    void (*done)(void* context);
    void* context;
  };
  struct Beyond {
    DeviceRequest request;
    Waiter waiter;
  };
  struct Service {
    DeviceQueue& queue;
    DeviceRequest request;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) { queue.submit(request, &resume, handle.address()); }
    void await_resume() const noexcept {}
    static void resume(void* address) { std::coroutine_handle<>::from_address(address).resume(); }
  };
  void start_next();
  static void served(void* queue);

  Scheduler& scheduler_;
  DeviceModel& device_;
  std::uint32_t depth_;
  // What the device may choose from, in the order of arrival, and who waits for each; then what came after.
  std::vector<DeviceRequest> visible_;
  std::vector<Waiter> waiters_;
  std::deque<Beyond> beyond_;
  Waiter in_service_{};
  bool busy_ = false;
};

}  // namespace blkpress::sim
