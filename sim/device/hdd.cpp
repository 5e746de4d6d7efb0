// A hard disk: one arm, so one transfer at a time; a cache before it; a queue of commands that it may reorder.
#include <algorithm>
#include <deque>

#include "blkpress/bytes.hpp"
#include "device/device_makers.hpp"
#include "device/hdd_geometry.hpp"

namespace blkpress::sim {

namespace {

struct HddOptions {
  HddGeometryOptions geometry;
  Duration seek_track_to_track;
  Duration seek_average;
  Duration seek_full;
  Duration write_settle;
  Duration overhead;
  double interface_bytes_per_second;
  std::uint64_t read_ahead_bytes;
  std::uint64_t write_cache_bytes;
  std::uint32_t queue_depth;
  bool elevator;
};

class HardDisk final : public DeviceModel {
 public:
  explicit HardDisk(const HddOptions& options)
      : options_(options),
        geometry_(options.geometry),
        seek_(geometry_.cylinders(), options.seek_track_to_track, options.seek_average, options.seek_full) {}

  Instant complete_at(const DeviceRequest& request, Instant now) override {
    write_back_until(now);
    switch (request.kind) {
      case DeviceRequest::Kind::flush:
        write_back_to(0);
        return std::max(now, arm_free_);
      case DeviceRequest::Kind::read:
        return read(extent_of(request), now);
      case DeviceRequest::Kind::write:
        return write(extent_of(request), now);
    }
    return now;
  }

  [[nodiscard]] std::uint32_t queue_depth() const override { return options_.elevator ? options_.queue_depth : 1; }

  [[nodiscard]] std::size_t choose(std::span<const DeviceRequest> waiting) const override {
    if (!options_.elevator) return 0;
    return elevator_choice(waiting.size(), [&](std::size_t i) { return extent_of(waiting[i]).sector; });
  }

 private:
  struct Extent {
    std::uint64_t sector;
    std::uint64_t sectors;
  };

  [[nodiscard]] Extent extent_of(const DeviceRequest& request) const {
    const std::uint64_t first = request.offset / HddGeometry::kSectorBytes % geometry_.sectors();
    const std::uint64_t sectors = std::max<std::uint64_t>(1, (request.bytes + 511) / HddGeometry::kSectorBytes);
    return {first, std::min(sectors, geometry_.sectors() - first)};
  }

  // The next one upwards from the arm, or the lowest of all when there is none above (C-SCAN).
  template <class SectorOf>
  [[nodiscard]] std::size_t elevator_choice(std::size_t size, SectorOf sector_of) const {
    std::size_t best = 0;
    std::uint64_t best_distance = UINT64_MAX;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t sector = sector_of(i);
      const std::uint64_t distance =
          sector >= next_sector_ ? sector - next_sector_ : sector + geometry_.sectors() - next_sector_;
      if (distance < best_distance) best_distance = distance, best = i;
    }
    return best;
  }

  [[nodiscard]] Duration interface_time(const Extent& extent) const {
    return duration_of(static_cast<double>(extent.sectors * HddGeometry::kSectorBytes) /
                       options_.interface_bytes_per_second);
  }

  // Arm, platter, transfer, from `start` on; the arm is then free at the returned time.
  Instant access(const Extent& extent, Instant start, Duration settle) {
    const HddPosition target = geometry_.position(extent.sector);
    const std::uint64_t distance =
        target.cylinder > cylinder_ ? target.cylinder - cylinder_ : cylinder_ - target.cylinder;
    // Changing the head and moving the arm go on together.
    Duration move = seek_.time(distance);
    if (target.head != head_) move = std::max(move, options_.geometry.head_switch);
    const Instant there = start + move + settle;
    arm_free_ = there + geometry_.rotation_wait(target, there) + geometry_.transfer(extent.sector, extent.sectors);
    arrive(extent);
    return arm_free_;
  }

  void arrive(const Extent& extent) {
    const HddPosition last = geometry_.position(extent.sector + extent.sectors - 1);
    cylinder_ = last.cylinder;
    head_ = last.head;
    next_sector_ = (extent.sector + extent.sectors) % geometry_.sectors();
  }

  Instant read(const Extent& extent, Instant now) {
    // Cached writes wait for an idle arm; one that was written back meanwhile left the arm elsewhere.
    if (reading_ahead_ && extent.sector == next_sector_) return read_on(extent, now);
    const Instant done = access(extent, std::max(now + options_.overhead, arm_free_), {});
    reading_ahead_ = options_.read_ahead_bytes != 0;
    return done;
  }

  // After a read the disk goes on reading into its cache until that is full, so the next sectors are there already, or
  // come by without a lost turn.
  Instant read_on(const Extent& extent, Instant now) {
    const Duration media = geometry_.switch_before(extent.sector) + geometry_.transfer(extent.sector, extent.sectors);
    const auto bytes = static_cast<double>(extent.sectors * HddGeometry::kSectorBytes);
    const Duration ahead = duration_of(in_seconds(media) * (static_cast<double>(options_.read_ahead_bytes) / bytes));
    arm_free_ = std::max(arm_free_, Instant{now.ns - ahead.ns}) + media;
    arrive(extent);
    return std::max(arm_free_, now + options_.overhead + interface_time(extent));
  }

  Instant write(const Extent& extent, Instant now) {
    reading_ahead_ = false;
    const std::uint64_t bytes = extent.sectors * HddGeometry::kSectorBytes;
    if (bytes > options_.write_cache_bytes) {
      write_back_to(0);
      return access(extent, std::max(now + options_.overhead, arm_free_), options_.write_settle);
    }
    Instant room = now;
    if (pending_bytes_ + bytes > options_.write_cache_bytes) {
      write_back_to(options_.write_cache_bytes - bytes);
      room = std::max(now, cache_room_);
    }
    if (pending_.empty() && arm_free_ < now) {
      arm_free_ = now;
      idle_ = true;
    }
    pending_.push_back(extent);
    pending_bytes_ += bytes;
    return room + options_.overhead + interface_time(extent);
  }

  // Cached writes go to the medium in the order of the elevator whenever nothing else is to be done.
  void write_back_one() {
    const std::size_t window = std::min<std::size_t>(pending_.size(), options_.queue_depth);
    const std::size_t i = elevator_choice(window, [&](std::size_t k) { return pending_[k].sector; });
    const Extent extent = pending_[i];
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
    pending_bytes_ -= extent.sectors * HddGeometry::kSectorBytes;
    // Right behind the last one there is neither a seek nor a turn to wait for.
    if (extent.sector == next_sector_ && !reading_ahead_ && !idle_) {
      arm_free_ =
          arm_free_ + geometry_.switch_before(extent.sector) + geometry_.transfer(extent.sector, extent.sectors);
      arrive(extent);
    } else {
      access(extent, arm_free_, options_.write_settle);
    }
    idle_ = false;
    reading_ahead_ = false;
    cache_room_ = arm_free_;
  }
  void write_back_until(Instant now) {
    while (!pending_.empty() && arm_free_ < now) write_back_one();
  }
  void write_back_to(std::uint64_t bytes) {
    while (pending_bytes_ > bytes) write_back_one();
  }

  HddOptions options_;
  HddGeometry geometry_;
  SeekCurve seek_;
  std::uint64_t cylinder_ = 0;
  std::uint32_t head_ = 0;
  std::uint64_t next_sector_ = 0;  // right behind the last access
  Instant arm_free_{};
  bool reading_ahead_ = false;
  bool idle_ = false;           // the platter has turned on since the last write
  std::deque<Extent> pending_;  // written to the cache, not yet to the medium
  std::uint64_t pending_bytes_ = 0;
  Instant cache_room_{};  // when the last write left the cache
};

Duration milliseconds_of(double ms) { return duration_of(ms * 1e-3); }

}  // namespace

Result<std::unique_ptr<DeviceModel>> make_hdd(DeviceSettings& settings) {
  HddOptions options{};
  const double rpm = settings.number("rpm", 3600, 15000);
  options.geometry.rotation = duration_of(60.0 / rpm);
  options.geometry.capacity_bytes = settings.number("capacity_gb", 1, 100000) * 1e9;
  options.geometry.outer_bytes_per_second = settings.number("outer_mb_s", 1, 1000) * 1e6;
  options.geometry.inner_bytes_per_second = settings.number("inner_mb_s", 1, 1000) * 1e6;
  options.geometry.zones = static_cast<std::uint32_t>(settings.count("zones", 1, 256, 16));
  options.geometry.heads = static_cast<std::uint32_t>(settings.count("heads", 1, 64));
  options.geometry.head_switch = milliseconds_of(settings.number("head_switch_ms", 0, 100, 0.8));
  options.seek_track_to_track = milliseconds_of(settings.number("seek_track_to_track_ms", 0.01, 100));
  options.seek_average = milliseconds_of(settings.number("seek_average_ms", 0.01, 100));
  options.seek_full = milliseconds_of(settings.number("seek_full_ms", 0.01, 200));
  options.geometry.track_switch = options.seek_track_to_track;
  options.write_settle = milliseconds_of(settings.number("write_settle_ms", 0, 10, 0));
  options.overhead = milliseconds_of(settings.number("overhead_ms", 0, 10, 0));
  options.interface_bytes_per_second = settings.number("interface_mb_s", 1, 10000, 300) * 1e6;
  options.read_ahead_bytes = settings.count("read_ahead_kib", 0, 1 << 20, 0) * kKiB;
  options.write_cache_bytes = settings.count("write_cache_kib", 0, 1 << 20, 0) * kKiB;
  options.queue_depth = static_cast<std::uint32_t>(settings.count("queue_depth", 1, 1024, 32));
  options.elevator = settings.choice("queue_order", {"fifo", "elevator"}, "fifo") == "elevator";
  settings.require(options.seek_track_to_track <= options.seek_average && options.seek_average <= options.seek_full,
                   "the seek times must grow from track to track over average to full stroke");
  settings.require(options.geometry.inner_bytes_per_second <= options.geometry.outer_bytes_per_second,
                   "inner_mb_s must not be above outer_mb_s");
  BLKPRESS_TRY(settings.status());
  return std::unique_ptr<DeviceModel>(std::make_unique<HardDisk>(options));
}

}  // namespace blkpress::sim
