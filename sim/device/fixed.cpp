// The same delay for every request: for tests, and as a device that is never the bottleneck.
#include "device/device_makers.hpp"

namespace blkpress::sim {

namespace {

class FixedDelay final : public DeviceModel {
 public:
  explicit FixedDelay(Duration latency) : latency_(latency) {}
  Instant complete_at(const DeviceRequest&, Instant now) override { return now + latency_; }

 private:
  Duration latency_;
};

}  // namespace

Result<std::unique_ptr<DeviceModel>> make_fixed(DeviceSettings& settings) {
  const auto latency = static_cast<std::int64_t>(settings.count("latency_us", 0, 3'600'000'000));
  BLKPRESS_TRY(settings.status());
  return std::unique_ptr<DeviceModel>(std::make_unique<FixedDelay>(microseconds(latency)));
}

}  // namespace blkpress::sim
