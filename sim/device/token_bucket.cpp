#include "device/token_bucket.hpp"

#include <algorithm>

namespace blkpress::sim {

namespace {

constexpr int kFineBits = 10;
constexpr double kFinePerSecond = 1e9 * (1 << kFineBits);
// Times are counted up to 100 days, which is as long as any simulation may take.
constexpr std::int64_t kLatest = 100LL * 86400 * 1'000'000'000;
// A bucket that takes longer than this to fill never fills.
constexpr double kLongest = 4e18;

}  // namespace

TokenBucket::Fine TokenBucket::fine_per_tokens(std::uint64_t tokens, double rate) {
  return static_cast<Fine>(std::min(kLongest, static_cast<double>(tokens) * (kFinePerSecond / rate) + 0.5));
}

TokenBucket::TokenBucket(const Options& options)
    : rate_(options.rate),
      line_(options.line),
      full_after_(
          options.rate > 0 ? static_cast<Fine>(std::min(kLongest, options.size * (kFinePerSecond / options.rate))) : 0),
      empty_since_(static_cast<Fine>(-options.initial * static_cast<double>(full_after_))) {}

Instant TokenBucket::take(std::uint64_t tokens, Instant now) {
  if (rate_ <= 0) return now;
  const Fine start = std::max<Fine>(std::min<Fine>(now.ns, kLatest) << kFineBits, line_free_);
  empty_since_ = detail::saturating_add(std::max(empty_since_, start - full_after_), fine_per_tokens(tokens, rate_));
  Fine done = std::max(start, empty_since_);
  if (line_ > 0) {
    line_free_ = detail::saturating_add(start, fine_per_tokens(tokens, line_));
    done = std::max(done, line_free_);
  }
  return std::max(now, Instant{detail::saturating_add(done, (1 << kFineBits) - 1) >> kFineBits});
}

}  // namespace blkpress::sim
