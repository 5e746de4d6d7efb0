// must(result): its value, or the test fails with its message.
#pragma once

#include <utility>

#include "blkpress/result.hpp"
#include "support/catch.hpp"

namespace blkpress::test {

template <class T>
T must(Result<T> result) {
  if (!result) FAIL(result.error().message);
  return std::move(result).value();
}

inline void must(const Status& status) {
  if (!status) FAIL(status.error().message);
}

}  // namespace blkpress::test
