#include "blkpress/sim/device_queue.hpp"

namespace blkpress::sim {

void DeviceQueue::submit(const DeviceRequest& request, void (*done)(void* context), void* context) {
  if (depth_ == 1) {
    scheduler_.call_at(device_.complete_at(request, scheduler_.now()), done, context);
    return;
  }
  if (visible_.size() < depth_) {
    visible_.push_back(request);
    waiters_.push_back({done, context});
  } else {
    beyond_.push_back({request, {done, context}});
  }
  if (!busy_) start_next();
}

void DeviceQueue::start_next() {
  busy_ = !visible_.empty();
  if (!busy_) return;
  const std::size_t chosen = device_.choose(visible_);
  const DeviceRequest request = visible_[chosen];
  in_service_ = waiters_[chosen];
  visible_.erase(visible_.begin() + static_cast<std::ptrdiff_t>(chosen));
  waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(chosen));
  if (!beyond_.empty()) {
    visible_.push_back(beyond_.front().request);
    waiters_.push_back(beyond_.front().waiter);
    beyond_.pop_front();
  }
  scheduler_.call_at(device_.complete_at(request, scheduler_.now()), &served, this);
}

void DeviceQueue::served(void* queue) {
  auto& self = *static_cast<DeviceQueue*>(queue);
  // Still busy while the caller hears of it, so that what it submits now is chosen from and not just started.
  self.in_service_.done(self.in_service_.context);
  self.start_next();
}

}  // namespace blkpress::sim
