// Where the sectors of a hard disk lie, how long the arm takes, and where the platter is at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

// Time to move the arm over a number of cylinders: a square root while it accelerates, then a line while it coasts
// (Ruemmler and Wilkes, "An introduction to disk drive modeling", 1994). The two meet at a third of the full stroke,
// where the curve passes through the average seek time that manufacturers print.
class SeekCurve {
 public:
  SeekCurve(std::uint64_t cylinders, Duration track_to_track, Duration average, Duration full_stroke);
  [[nodiscard]] Duration time(std::uint64_t cylinders) const;  // 0 for none

 private:
  double third_;
  double root_constant_;
  double root_factor_;
  double line_constant_;
  double line_factor_;
};

struct HddGeometryOptions {
  double capacity_bytes;
  double outer_bytes_per_second;  // off the medium, within one track
  double inner_bytes_per_second;
  std::uint32_t zones;
  std::uint32_t heads;  // tracks in a cylinder
  Duration rotation;
  Duration head_switch;
  Duration track_switch;  // to the next cylinder
};

struct HddPosition {
  std::uint64_t cylinder;
  std::uint32_t head;
  std::uint64_t sector;             // within the track
  std::uint64_t sectors_per_track;  // of its zone
};

class HddGeometry {
 public:
  static constexpr std::uint64_t kSectorBytes = 512;

  explicit HddGeometry(const HddGeometryOptions& options);

  [[nodiscard]] std::uint64_t cylinders() const { return cylinders_; }
  [[nodiscard]] std::uint64_t sectors() const { return sectors_; }
  [[nodiscard]] HddPosition position(std::uint64_t sector) const;

  // How long after `now` the start of that sector comes under the head.
  [[nodiscard]] Duration rotation_wait(const HddPosition& position, Instant now) const;

  // From the start of the first sector to the end of the last, switches to further tracks included. sectors > 0.
  [[nodiscard]] Duration transfer(std::uint64_t first_sector, std::uint64_t sectors) const;

  // What a transfer that reaches this sector from the one before spends on changing the track.
  [[nodiscard]] Duration switch_before(std::uint64_t sector) const;

  // Bytes per second of a long sequential transfer in a zone.
  [[nodiscard]] double sustained_rate(std::uint32_t zone) const;
  [[nodiscard]] std::uint64_t zone_first_sector(std::uint32_t zone) const { return zones_[zone].first_sector; }

 private:
  struct Zone {
    std::uint64_t first_sector;
    std::uint64_t first_cylinder;
    std::uint64_t sectors_per_track;
  };
  [[nodiscard]] std::int64_t angle_ns(const HddPosition& position) const;

  HddGeometryOptions options_;
  std::uint64_t cylinders_ = 0;
  std::uint64_t sectors_ = 0;
  std::vector<Zone> zones_;
};

}  // namespace blkpress::sim
