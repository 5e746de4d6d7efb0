#include "blkpress/sim/resource.hpp"

#include "blkpress/result.hpp"

namespace blkpress::sim {

Resource::Resource(Scheduler& scheduler, std::uint32_t servers) : scheduler_(scheduler), servers_(servers) {
  BLKPRESS_ASSERT(servers >= 1);
}

void Resource::account() {
  const std::int64_t elapsed = (scheduler_.now() - accounted_).ns;
  accounted_ = scheduler_.now();
  busy_time_ns_ += elapsed * busy_;
  population_time_ns_ += elapsed * static_cast<std::int64_t>(busy_ + waiters_.size());
}

std::int64_t Resource::busy_time_ns() const { return busy_time_ns_ + (scheduler_.now() - accounted_).ns * busy_; }

std::int64_t Resource::population_time_ns() const {
  return population_time_ns_ + (scheduler_.now() - accounted_).ns * static_cast<std::int64_t>(busy_ + waiters_.size());
}

bool Resource::try_acquire() {
  if (busy_ == servers_) return false;
  account();
  ++busy_;
  return true;
}

void Resource::enqueue(std::coroutine_handle<> handle) {
  account();
  waiters_.push_back(handle);
}

void Resource::release() {
  BLKPRESS_ASSERT(busy_ > 0);
  account();
  if (waiters_.empty()) {
    --busy_;
    return;
  }
  // The place passes on without becoming free, so that nobody who comes at the same instant can overtake.
  scheduler_.resume_at(scheduler_.now(), waiters_.front());
  waiters_.pop_front();
}

Task Resource::serve(Duration service) {
  co_await acquire();
  co_await scheduler_.sleep_for(service);
  release();
}

void Condition::notify_one() {
  if (waiters_.empty()) return;
  scheduler_.resume_at(scheduler_.now(), waiters_.front());
  waiters_.pop_front();
}

void Condition::notify_all() {
  while (!waiters_.empty()) notify_one();
}

}  // namespace blkpress::sim
