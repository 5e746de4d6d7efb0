// A disk of a cloud provider: what limits it is not the medium but the provider's metering.
#include <algorithm>

#include "blkpress/bytes.hpp"
#include "device/device_makers.hpp"
#include "device/token_bucket.hpp"

namespace blkpress::sim {

namespace {

class CloudDisk final : public DeviceModel {
 public:
  struct Options {
    TokenBucket::Options bytes;
    TokenBucket::Options requests;
    std::uint64_t request_unit_bytes;  // a larger request counts as several; 0: each counts once
    Duration latency;
    Duration flush;
  };
  explicit CloudDisk(const Options& options) : options_(options), bytes_(options.bytes), requests_(options.requests) {}

  // Requests pass the meters in turn; the latency comes on top and is not held against the next one.
  Instant complete_at(const DeviceRequest& request, Instant now) override {
    if (request.kind == DeviceRequest::Kind::flush) return std::max(now, last_) + options_.flush;
    std::uint64_t requests = 1;
    if (options_.request_unit_bytes != 0 && request.bytes != 0) {
      requests = (request.bytes + options_.request_unit_bytes - 1) / options_.request_unit_bytes;
    }
    const Instant metered = std::max(bytes_.take(request.bytes, now), requests_.take(requests, now));
    last_ = std::max(last_, metered + options_.latency);
    return metered + options_.latency;
  }

 private:
  Options options_;
  TokenBucket bytes_;
  TokenBucket requests_;
  Instant last_{};  // when everything so far is complete: a flush waits for it
};

// Providers give rates by size: clamp(base + per_gb * size, min, max).
double rate_of(DeviceSettings& settings, const std::string& prefix, double size_gb, double unit) {
  const double base = settings.number(prefix + "_base", 0, 1e9, 0);
  const double per_gb = settings.number(prefix + "_per_gb", 0, 1e6, 0);
  const double least = settings.number(prefix + "_min", 0, 1e9, 0);
  const double most = settings.number(prefix + "_max", 0, 1e9, 1e9);
  settings.require(least <= most, "a rate's minimum is above its maximum");
  return std::min(std::max(base + per_gb * size_gb, least), std::max(least, most)) * unit;
}

}  // namespace

Result<std::unique_ptr<DeviceModel>> make_cloud(DeviceSettings& settings) {
  CloudDisk::Options options{};
  const double size_gb = settings.number("size_gb", 1, 1e6);
  options.bytes.rate = rate_of(settings, "mb_s", size_gb, 1e6);
  options.bytes.size = settings.number("burst_mib", 0, 1e7, 0) * static_cast<double>(kMiB);
  options.bytes.initial = settings.number("burst_initial", 0, 1, 0);
  options.bytes.line = settings.number("mb_s_line", 0, 1e6, 0) * 1e6;
  options.requests.rate = rate_of(settings, "iops", size_gb, 1);
  options.requests.size = settings.number("iops_burst", 0, 1e10, 0);
  options.requests.initial = settings.number("iops_burst_initial", 0, 1, 0);
  options.requests.line = settings.number("iops_line", 0, 1e9, 0);
  options.request_unit_bytes = settings.count("iops_unit_kib", 0, 1 << 20, 0) * kKiB;
  options.latency = microseconds(static_cast<std::int64_t>(settings.count("latency_us", 0, 10'000'000, 0)));
  options.flush = microseconds(static_cast<std::int64_t>(settings.count("flush_us", 0, 10'000'000, 0)));
  // A disk whose baseline is above the burst rate is never held down to the latter.
  if (options.requests.line > 0) options.requests.line = std::max(options.requests.line, options.requests.rate);
  if (options.bytes.line > 0) options.bytes.line = std::max(options.bytes.line, options.bytes.rate);
  BLKPRESS_TRY(settings.status());
  return std::unique_ptr<DeviceModel>(std::make_unique<CloudDisk>(options));
}

}  // namespace blkpress::sim
