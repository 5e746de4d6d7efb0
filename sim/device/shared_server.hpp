// Something that does one thing at a time (a die, a channel), for work that is waited for and work that is not.
//
// Reads are waited for: they go before programs and erases that lie in the queue, and only let the one in progress end.
// Both kinds are kept as the time at which their queue is empty, so that each request costs a constant time. What was
// promised for a program is not taken back when reads come in between; its successors see the delay.
#pragma once

#include <algorithm>
#include <cstdint>

#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

class SharedServer {
 public:
  // So many reads go before programs that wait, then one program has its turn: neither kind can starve the other.
  static constexpr std::uint32_t kReadsInARow = 4;

  // piece: how long the work in the background takes before it can be interrupted.
  Instant read(Instant at, Duration time, Duration piece) {
    Instant start = std::max(at, reads_done_);
    if (background_done_ > start) {
      if (at >= reads_done_) {
        in_a_row_ = 0;
        if (piece.ns > 0) start = start + Duration{(background_done_ - start).ns % piece.ns};
      } else if (++in_a_row_ == kReadsInARow) {
        in_a_row_ = 0;
        start = start + piece;
      }
      background_done_ = background_done_ + time;
    }
    reads_done_ = start + time;
    return reads_done_;
  }

  Instant background(Instant at, Duration time) {
    background_done_ = std::max(std::max(background_done_, reads_done_), at) + time;
    return background_done_;
  }

 private:
  Instant reads_done_{};
  Instant background_done_{};
  std::uint32_t in_a_row_ = 0;
};

}  // namespace blkpress::sim
