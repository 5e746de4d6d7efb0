// A token bucket as a fluid: tokens arrive all the time at a rate, and lie in a bucket of limited size while nobody
// wants them.
#pragma once

#include <cstdint>

#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

class TokenBucket {
 public:
  struct Options {
    double rate = 0;     // tokens per second; 0: no limit at all
    double size = 0;     // tokens that can be saved
    double initial = 0;  // share of the size that is there at time 0, 0 to 1
    double line = 0;     // tokens per second that can be spent while some are left; 0: any number
  };
  explicit TokenBucket(const Options& options);

  // Takes tokens, those of earlier calls first; returns when the last of them is there (>= now). now never goes back.
  Instant take(std::uint64_t tokens, Instant now);

 private:
  // Time in 1/1024 ns, so that a million takes do not add up the rounding of each; 104 days fit.
  using Fine = std::int64_t;
  [[nodiscard]] static Fine fine_per_tokens(std::uint64_t tokens, double rate);

  double rate_;
  double line_;
  Fine full_after_;  // how long the empty bucket takes to fill
  // The bucket would have been empty then, had every token since been saved: level = (now - empty_since) * rate.
  Fine empty_since_;
  Fine line_free_ = 0;  // when the line has carried all that was taken
};

}  // namespace blkpress::sim
