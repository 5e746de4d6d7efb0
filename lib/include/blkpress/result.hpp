// Result and Status: bad input, bad data, a full pool and a failing disk are values, never exceptions.
//
// Result<T> holds a T or an Error, in the shape of std::expected (which g++ 12 lacks in C++20). Status is a Result
// without a value. A broken invariant is not an Error: it aborts through BLKPRESS_ASSERT in every build. Threads:
// values; as safe as the T they hold.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace blkpress {

// What kind of thing went wrong. The command exits with the number of the kind.
enum class ErrorKind : int {
  check_failed = 1,  // a comparison or a consistency check did not hold
  usage = 2,         // bad input from the user: option, property, file that does not parse
  io = 3,            // the operating system refused or failed
  corrupt = 4,       // stored data does not decode
  no_space = 5,      // the device, the pool or the target buffer is full
};

// message: one line that says what, the value, and what would be right; no trailing newline or full stop.
struct Error {
  ErrorKind kind;
  std::string message;
};

namespace detail {
[[noreturn]] inline void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "blkpress: broken invariant: %s (%s:%d)\n", expression, file, line);
  std::abort();
}
}  // namespace detail

// Checked in every build: an invariant of ours, never a property of input.
#define BLKPRESS_ASSERT(expression) \
  (static_cast<bool>(expression) ? void(0) : ::blkpress::detail::assertion_failed(#expression, __FILE__, __LINE__))

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    BLKPRESS_ASSERT(has_value());
    return std::get<0>(state_);
  }
  const T& value() const& {
    BLKPRESS_ASSERT(has_value());
    return std::get<0>(state_);
  }
  T&& value() && {
    BLKPRESS_ASSERT(has_value());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const {
    BLKPRESS_ASSERT(!has_value());
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

// A Result without a value: ok() or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}

  [[nodiscard]] bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const Error& error() const {
    BLKPRESS_ASSERT(failed_);
    return error_;
  }

 private:
  Error error_{ErrorKind::check_failed, {}};
  bool failed_ = false;
};

using Status = Result<void>;
inline Status ok() { return {}; }

// Returns the error of an expression that yields a Result from the enclosing function.
#define BLKPRESS_TRY(expression)                             \
  do {                                                       \
    if (auto blkpress_try_ = (expression); !blkpress_try_) { \
      return blkpress_try_.error();                          \
    }                                                        \
  } while (false)

}  // namespace blkpress
