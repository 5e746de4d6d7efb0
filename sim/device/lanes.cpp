// Equal lanes, first come first served: the least that shows both a latency and a limit.
#include <algorithm>
#include <vector>

#include "device/device_makers.hpp"

namespace blkpress::sim {

namespace {

class Lanes final : public DeviceModel {
 public:
  Lanes(std::size_t lanes, Duration latency, double read_rate, double write_rate)
      : latency_(latency), read_rate_(read_rate), write_rate_(write_rate), free_(lanes) {}

  // The lane that is free first takes the request. A flush waits for all of them.
  Instant complete_at(const DeviceRequest& request, Instant now) override {
    if (request.kind == DeviceRequest::Kind::flush) return std::max(now, *std::max_element(free_.begin(), free_.end()));
    Instant& lane = *std::min_element(free_.begin(), free_.end());
    lane = std::max(now, lane) + latency_;
    const double rate = request.kind == DeviceRequest::Kind::write ? write_rate_ : read_rate_;
    if (rate > 0) lane = lane + duration_of(static_cast<double>(request.bytes) / rate);
    return lane;
  }

 private:
  Duration latency_;
  double read_rate_;  // bytes a second; 0: no limit
  double write_rate_;
  std::vector<Instant> free_;
};

}  // namespace

Result<std::unique_ptr<DeviceModel>> make_lanes(DeviceSettings& settings) {
  const std::uint64_t lanes = settings.count("lanes", 1, 4096, 1);
  const double latency_us = settings.number("latency_us", 0, 1e9, 0);
  const double mb_s = settings.number("mb_s", 0, 1e6, 0);
  const double write_mb_s = settings.number("write_mb_s", 0, 1e6, mb_s);
  settings.require(latency_us > 0 || mb_s > 0, "one of latency_us and mb_s must be above 0");
  BLKPRESS_TRY(settings.status());
  return std::unique_ptr<DeviceModel>(
      std::make_unique<Lanes>(lanes, duration_of(latency_us * 1e-6), mb_s * 1e6, write_mb_s * 1e6));
}

}  // namespace blkpress::sim
