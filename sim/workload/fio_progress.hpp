// What keeps a simulation of fio from never ending.
#pragma once

#include <cstdint>

#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

// A run is to end within minutes: more I/Os than this end it with an error.
inline constexpr std::uint64_t kMostIos = 40'000'000;
// A job whose I/Os take no time would never reach its runtime.
inline constexpr std::uint64_t kMostIosAtOnce = 1'000'000;

// Of all jobs together.
struct FioProgress {
  std::uint64_t issued = 0;
  std::uint64_t at_once = 0;  // since the clock moved
  Instant last{};
  bool stopped = false;

  // Whether one more I/O may be issued.
  bool go_on(Instant now) {
    at_once = now == last ? at_once + 1 : 0;
    last = now;
    stopped = stopped || ++issued > kMostIos || at_once > kMostIosAtOnce;
    return !stopped;
  }
};

}  // namespace blkpress::sim
