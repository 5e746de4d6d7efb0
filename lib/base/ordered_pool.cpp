#include "blkpress/ordered_pool.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace blkpress {

struct OrderedPool::State {
  struct Piece {
    Work work;
    Done done;
    bool finished = false;
  };

  std::mutex mutex;
  std::condition_variable work_available;
  std::condition_variable awaited_finished;
  std::deque<std::shared_ptr<Piece>> under_way;  // in order of submission
  std::deque<std::shared_ptr<Piece>> queue;      // not yet taken by a worker
  const Piece* awaited = nullptr;                // by the caller
  bool stopping = false;
  bool failed = false;  // memory ran out: nothing runs any more
  std::size_t under_way_max;
  std::vector<std::thread> threads;

  void run(unsigned worker) {
    std::unique_lock lock(mutex);
    for (;;) {
      work_available.wait(lock, [this] { return stopping || !queue.empty(); });
      if (queue.empty()) return;
      const std::shared_ptr<Piece> piece = std::move(queue.front());
      queue.pop_front();
      const bool skip = failed;
      lock.unlock();
      const bool fits = skip || work_fits(*piece, worker);
      lock.lock();
      failed = failed || !fits;
      piece->finished = true;
      if (piece.get() == awaited) awaited_finished.notify_one();
    }
  }

  // Our code throws nothing, but the standard library does when memory runs out; in a thread nobody else would catch
  // it.
  static bool work_fits(Piece& piece, unsigned worker) {
    try {
      piece.work(worker);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void wait_for(std::unique_lock<std::mutex>& lock, const Piece& piece) {
    awaited = &piece;
    awaited_finished.wait(lock, [&piece] { return piece.finished; });
    awaited = nullptr;
  }

  // Waits until half of them are finished, so that the caller is not woken for every single one.
  void retire_older_half(std::unique_lock<std::mutex>& lock) {
    const std::size_t half = (under_way.size() + 1) / 2;
    wait_for(lock, *under_way[half - 1]);
    for (std::size_t i = 0; i < half; ++i) retire_oldest(lock);
  }

  // Runs the done callback of the oldest piece, unless the pool has failed; waits for it if it is not finished. Called
  // with the lock held.
  void retire_oldest(std::unique_lock<std::mutex>& lock) {
    wait_for(lock, *under_way.front());
    const std::shared_ptr<Piece> piece = std::move(under_way.front());
    under_way.pop_front();
    if (failed) return;
    lock.unlock();
    piece->done();
    lock.lock();
  }
};

OrderedPool::OrderedPool(unsigned threads, std::size_t under_way_max) : state_(std::make_unique<State>()) {
  BLKPRESS_ASSERT(threads >= 1 && under_way_max >= 1);
  state_->under_way_max = under_way_max;
  state_->threads.reserve(threads);
  try {
    for (unsigned worker = 0; worker < threads; ++worker) {
      state_->threads.emplace_back([state = state_.get(), worker] { state->run(worker); });
    }
  } catch (const std::system_error&) {
    // The system has no more threads to give: those that there are do the work, or the caller's own.
  }
}

OrderedPool::~OrderedPool() {
  {
    // Whoever wants the rest done has called drain(). The callbacks may refer to what an exception has unwound.
    const std::lock_guard lock(state_->mutex);
    state_->failed = true;
    state_->stopping = true;
  }
  state_->work_available.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

unsigned OrderedPool::threads() const { return static_cast<unsigned>(state_->threads.size()); }

bool OrderedPool::failed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->failed;
}

void OrderedPool::submit(Work work, Done done) {
  auto piece = std::make_shared<State::Piece>();
  piece->work = std::move(work);
  piece->done = std::move(done);
  std::unique_lock lock(state_->mutex);
  if (state_->under_way.size() >= state_->under_way_max) state_->retire_older_half(lock);
  while (!state_->under_way.empty() && state_->under_way.front()->finished) state_->retire_oldest(lock);
  if (state_->failed) return;
  if (state_->threads.empty()) {
    lock.unlock();
    const bool fits = State::work_fits(*piece, 0);
    if (fits) return piece->done();
    lock.lock();
    state_->failed = true;
    return;
  }
  state_->under_way.push_back(piece);
  state_->queue.push_back(std::move(piece));
  lock.unlock();
  state_->work_available.notify_one();
}

Status OrderedPool::drain() {
  std::unique_lock lock(state_->mutex);
  while (!state_->under_way.empty()) state_->retire_oldest(lock);
  if (state_->failed) return Error{ErrorKind::io, "out of memory"};
  return ok();
}

}  // namespace blkpress
