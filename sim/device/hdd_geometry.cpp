#include "device/hdd_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "blkpress/result.hpp"

namespace blkpress::sim {

// Square root, unlike the rest of the mathematical library, is exact to the last bit (IEEE 754), so that these times
// are the same on every machine.
SeekCurve::SeekCurve(std::uint64_t cylinders, Duration track_to_track, Duration average, Duration full_stroke) {
  const auto full = static_cast<double>(std::max<std::uint64_t>(cylinders, 4) - 1);
  third_ = full / 3;
  const double root = std::sqrt(third_);
  root_factor_ = static_cast<double>((average - track_to_track).ns) / (root - 1);
  root_constant_ = static_cast<double>(track_to_track.ns) - root_factor_;
  line_factor_ = static_cast<double>((full_stroke - average).ns) / (full - third_);
  line_constant_ = static_cast<double>(average.ns) - line_factor_ * third_;
}

Duration SeekCurve::time(std::uint64_t cylinders) const {
  if (cylinders == 0) return {};
  const auto distance = static_cast<double>(cylinders);
  const double ns = distance <= third_ ? root_constant_ + root_factor_ * std::sqrt(distance)
                                       : line_constant_ + line_factor_ * distance;
  return {static_cast<std::int64_t>(ns + 0.5)};
}

// Zones have equal numbers of cylinders, and rates in equal steps from the outer to the inner one.
HddGeometry::HddGeometry(const HddGeometryOptions& options) : options_(options) {
  const double turn = in_seconds(options.rotation);
  std::vector<std::uint64_t> per_track(options.zones);
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < options.zones; ++i) {
    const double depth = options.zones == 1 ? 0 : static_cast<double>(i) / (options.zones - 1);
    const double rate =
        options.outer_bytes_per_second + depth * (options.inner_bytes_per_second - options.outer_bytes_per_second);
    per_track[i] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rate * turn / kSectorBytes + 0.5));
    sum += per_track[i];
  }
  const auto wanted = static_cast<std::uint64_t>(options.capacity_bytes / kSectorBytes);
  const std::uint64_t cylinders_per_zone = std::max<std::uint64_t>(1, wanted / (sum * options.heads));
  for (std::uint32_t i = 0; i < options.zones; ++i) {
    zones_.push_back({sectors_, cylinders_, per_track[i]});
    cylinders_ += cylinders_per_zone;
    sectors_ += cylinders_per_zone * options.heads * per_track[i];
  }
}

HddPosition HddGeometry::position(std::uint64_t sector) const {
  BLKPRESS_ASSERT(sector < sectors_);
  const auto after = std::upper_bound(zones_.begin(), zones_.end(), sector,
                                      [](std::uint64_t value, const Zone& zone) { return value < zone.first_sector; });
  const Zone& zone = *(after - 1);
  const std::uint64_t within = sector - zone.first_sector;
  const std::uint64_t track = within / zone.sectors_per_track;
  return {zone.first_cylinder + track / options_.heads, static_cast<std::uint32_t>(track % options_.heads),
          within % zone.sectors_per_track, zone.sectors_per_track};
}

// Where on the circle a sector starts, in ns of rotation. Each track starts later than the one before by the time of
// the switch between them, so that a sequential transfer never loses a turn.
std::int64_t HddGeometry::angle_ns(const HddPosition& position) const {
  const std::int64_t turn = options_.rotation.ns;
  const auto cylinder = static_cast<std::int64_t>(position.cylinder);
  const auto head_switches = cylinder * (options_.heads - 1) + position.head;
  const std::int64_t skew = (head_switches * options_.head_switch.ns + cylinder * options_.track_switch.ns) % turn;
  const auto within =
      static_cast<std::int64_t>(position.sector) * turn / static_cast<std::int64_t>(position.sectors_per_track);
  return (skew + within) % turn;
}

Duration HddGeometry::rotation_wait(const HddPosition& position, Instant now) const {
  const std::int64_t turn = options_.rotation.ns;
  const std::int64_t wait = angle_ns(position) - now.ns % turn;
  return {wait < 0 ? wait + turn : wait};
}

Duration HddGeometry::transfer(std::uint64_t first_sector, std::uint64_t sectors) const {
  Duration total{};
  std::uint64_t sector = first_sector;
  HddPosition at = position(sector);
  while (true) {
    const std::uint64_t here = std::min(sectors, at.sectors_per_track - at.sector);
    total += Duration{static_cast<std::int64_t>(here) * options_.rotation.ns /
                      static_cast<std::int64_t>(at.sectors_per_track)};
    sectors -= here;
    sector += here;
    if (sectors == 0 || sector >= sectors_) return total;
    const HddPosition next = position(sector);
    total += next.cylinder == at.cylinder ? options_.head_switch : options_.track_switch;
    at = next;
  }
}

Duration HddGeometry::switch_before(std::uint64_t sector) const {
  const HddPosition at = position(sector);
  if (at.sector != 0) return {};
  return at.head == 0 ? options_.track_switch : options_.head_switch;
}

double HddGeometry::sustained_rate(std::uint32_t zone) const {
  const double cylinder = in_seconds(options_.rotation) * options_.heads +
                          in_seconds(options_.head_switch) * (options_.heads - 1) + in_seconds(options_.track_switch);
  return static_cast<double>(zones_[zone].sectors_per_track * kSectorBytes * options_.heads) / cylinder;
}

}  // namespace blkpress::sim
