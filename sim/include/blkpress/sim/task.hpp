// Task: a simulated activity, written as a coroutine that waits in virtual time.
//
// A Task is either spawned on a Scheduler, which then owns it, or awaited by another Task, which resumes when it is
// done. Threads: a Task belongs to the thread of its Scheduler.
//
// g++ 12.2 destroys some temporaries twice that are passed by value to a coroutine inside a co_await expression. Every
// argument of a Task must therefore be a reference, a pointer or trivially destructible; that is checked when a
// coroutine is compiled. Arguments passed by reference must outlive the Task. No lambda may be a Task.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

namespace blkpress::sim {

class Task {
 public:
  struct Promise {
    std::coroutine_handle<> continuation;  // who awaits this Task; null when it was spawned
    void (*on_done)(void* owner, std::coroutine_handle<Promise>) = nullptr;
    void* owner = nullptr;
    std::size_t owner_index = 0;  // where the owner keeps it

    Task get_return_object() { return Task(std::coroutine_handle<Promise>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }

    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
        Promise& promise = self.promise();
        if (promise.continuation) return promise.continuation;
        if (promise.on_done != nullptr) promise.on_done(promise.owner, self);
        return std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }  // our code throws nothing
  };
  using promise_type = Promise;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // Awaiting runs the Task now and resumes the caller when it has finished.
  auto operator co_await() && noexcept {
    struct Awaiter {
      std::coroutine_handle<Promise> handle;
      bool await_ready() const noexcept { return handle.done(); }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
        handle.promise().continuation = caller;
        return handle;
      }
      void await_resume() noexcept {}
    };
    return Awaiter{handle_};
  }

  // Gives the coroutine away; the Scheduler calls this.
  std::coroutine_handle<Promise> release() { return std::exchange(handle_, nullptr); }

 private:
  explicit Task(std::coroutine_handle<Promise> handle) : handle_(handle) {}
  std::coroutine_handle<Promise> handle_;
};

}  // namespace blkpress::sim

template <class... Arguments>
struct std::coroutine_traits<blkpress::sim::Task, Arguments...> {
  static_assert(((std::is_reference_v<Arguments> || std::is_trivially_destructible_v<Arguments>)&&...),
                "a Task takes references, pointers and trivially destructible values only");
  using promise_type = blkpress::sim::Task::Promise;
};
