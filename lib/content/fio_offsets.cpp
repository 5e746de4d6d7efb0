#include "blkpress/fio_offsets.hpp"

#include <algorithm>
#include <limits>

#include "blkpress/result.hpp"
#include "content/fio_block_map.hpp"
#include "content/fio_block_sizes.hpp"
#include "content/fio_distribution.hpp"

namespace blkpress {
namespace {

std::size_t index_of(FioDirection direction) { return static_cast<std::size_t>(direction); }

std::uint64_t smallest_block(const FioAccess& access) {
  if (!access.writes) return access.block_sizes[0].min;
  if (!access.reads) return access.block_sizes[1].min;
  return std::min(access.block_sizes[0].min, access.block_sizes[1].min);
}

// Any use of blockalign turns the map off (fio's manual, blockalign).
bool uses_map(const FioAccess& access) {
  if (!access.random || access.norandommap || access.generator == FioGenerator::lfsr) return false;
  for (std::size_t d = 0; d < 2; ++d) {
    if (access.block_align[d].value_or(access.block_sizes[d].min) != access.block_sizes[d].min) return false;
  }
  return std::holds_alternative<FioUniform>(access.distribution);
}

bool is_skewed(const FioDistribution& distribution) {
  return !std::holds_alternative<FioUniform>(distribution) && !std::holds_alternative<FioZones>(distribution);
}

}  // namespace

class FioOffsets::Walk {
 public:
  explicit Walk(const FioIoOptions& options);
  std::optional<FioIo> next();
  [[nodiscard]] std::uint64_t total_bytes() const { return total_; }

 private:
  // All that starts again from the seeds with a new lap.
  struct Streams {
    Streams(const FioAccess& access, const FioSeeds& seeds, bool verify);
    std::array<FioBlockSizeStream, 2> sizes;
    FioRandom mix;
    FioRandom offset;
    FioRandom64 offset64;
    FioRandom zone;
    std::array<FioRandom, 2> sequential_or_random;
  };

  FioDirection pick_direction();
  bool pick_random(std::size_t d);
  std::uint64_t random_offset(std::size_t d);
  std::uint64_t uniform_block(std::uint64_t blocks);
  std::uint64_t zoned_offset(const FioZones& zones, std::uint64_t align);
  [[nodiscard]] bool at_end(std::size_t d) const;
  std::uint64_t sequential_offset(std::size_t d);
  void begin_lap();

  FioAccess access_;
  FioSeeds seeds_;
  bool verify_;
  std::uint64_t end_;  // of the region that the job uses, from the start of the file
  std::uint64_t total_;
  Streams streams_;
  std::optional<FioBlockMap> map_;
  std::optional<FioSkewedBlocks> skewed_;
  std::optional<FioLfsr> lfsr_;
  bool restarts_streams_;
  std::uint64_t map_block_;
  std::array<std::uint64_t, 2> position_{};  // where the direction's last I/O ended
  std::uint64_t sequence_left_ = 0;
  std::uint64_t issued_bytes_ = 0;
  std::uint64_t issued_ios_ = 0;
  std::uint64_t lap_ = 0;
};

// With verify the writes take their sizes from the reads' stream, so that the reads that verify find the same blocks.
FioOffsets::Walk::Streams::Streams(const FioAccess& access, const FioSeeds& seeds, bool verify)
    : sizes{FioBlockSizeStream(access.block_sizes[0], access.bs_unaligned, seeds.block_size(FioDirection::read)),
            FioBlockSizeStream(access.block_sizes[1], access.bs_unaligned,
                               seeds.block_size(verify ? FioDirection::read : FioDirection::write))},
      mix(seeds[FioStream::mix]),
      offset(seeds[FioStream::offset]),
      offset64(seeds[FioStream::offset]),
      zone(seeds[FioStream::zone]),
      sequential_or_random{FioRandom(seeds[FioStream::sequential_or_random]),
                           FioRandom(seeds[FioStream::sequential_or_random_write])} {}

FioOffsets::Walk::Walk(const FioIoOptions& options)
    : access_(options.access),
      seeds_(options.seeding),
      verify_(options.content.verify),
      streams_(access_, seeds_, verify_) {
  BLKPRESS_ASSERT(check(options).has_value());
  const std::uint64_t smallest = smallest_block(access_);
  access_.size -= access_.size % smallest;
  end_ = access_.offset + access_.size;
  total_ = access_.io_size != 0 ? access_.io_size : access_.size * access_.loops;
  if (access_.time_based) total_ = std::numeric_limits<std::uint64_t>::max();
  map_block_ = smallest;
  if (uses_map(access_)) map_.emplace(access_.size / smallest);
  const std::uint64_t align = access_.block_align[access_.reads ? 0 : 1].value_or(smallest);
  const std::uint64_t blocks = access_.size / align;
  if (access_.random && is_skewed(access_.distribution)) {
    const std::uint64_t seed = options.seeding.randseed
                                   ? seeds_[FioStream::offset]
                                   : std::uint64_t{fio_hash_name(access_.file_name)} * options.seeding.job;
    skewed_.emplace(access_.distribution, blocks, seed);
  } else if (access_.random && access_.generator == FioGenerator::lfsr) {
    lfsr_.emplace(blocks, seeds_[FioStream::offset]);
  }
  restarts_streams_ = options.seeding.randrepeat && (!access_.random || map_) && !access_.time_based;
  position_.fill(access_.offset);
}

std::optional<FioIo> FioOffsets::Walk::next() {
  if (issued_bytes_ >= total_ || (access_.number_ios != 0 && issued_ios_ >= access_.number_ios)) return {};
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const FioDirection direction = pick_direction();
    const std::size_t d = index_of(direction);
    const bool random = pick_random(d);
    if (random ? map_ && map_->full() : at_end(d)) {
      begin_lap();
      continue;
    }
    FioIo io{direction, random ? random_offset(d) : sequential_offset(d), 0, lap_};
    io.length = streams_.sizes[d].next(end_ - io.offset);
    if (io.length == 0) {  // blockalign below the block size can point where no block fits any more
      position_[d] = end_;
      continue;
    }
    if (random && map_) {
      const std::uint64_t block = (io.offset - access_.offset) / map_block_;
      const std::uint64_t taken = map_->take(block, (io.length + map_block_ - 1) / map_block_);
      io.length = std::min(io.length, taken * map_block_);
    }
    position_[d] = io.offset + io.length;
    issued_bytes_ += io.length;
    ++issued_ios_;
    return io;
  }
  return {};
}

FioDirection FioOffsets::Walk::pick_direction() {
  if (!access_.reads) return FioDirection::write;
  if (!access_.writes) return FioDirection::read;
  return streams_.mix.between(1, 100) <= access_.rwmixread ? FioDirection::read : FioDirection::write;
}

bool FioOffsets::Walk::pick_random(std::size_t d) {
  if (!access_.random) return false;
  if (access_.sequence > 1) {
    if (sequence_left_ > 0 && !at_end(d)) {
      --sequence_left_;
      return false;
    }
    sequence_left_ = access_.sequence - 1;
  }
  const std::uint32_t percentage = access_.percentage_random[d];
  if (percentage == 100) return true;
  return streams_.sequential_or_random[d].between(1, 100) <= percentage || at_end(d);
}

std::uint64_t FioOffsets::Walk::random_offset(std::size_t d) {
  const std::uint64_t align = access_.block_align[d].value_or(access_.block_sizes[d].min);
  if (const auto* zones = std::get_if<FioZones>(&access_.distribution)) return zoned_offset(*zones, align);
  const std::uint64_t blocks = access_.size / align;
  std::uint64_t block = skewed_ ? skewed_->next() : lfsr_ ? lfsr_->next() : uniform_block(blocks);
  if (map_) {
    // Both directions share one map, in units of the smallest block.
    const std::uint64_t bytes = map_->next_free(block * align / map_block_) * map_block_;
    return access_.offset + bytes;
  }
  return access_.offset + std::min(block, blocks - 1) * align;
}

std::uint64_t FioOffsets::Walk::uniform_block(std::uint64_t blocks) {
  const double unit = access_.generator == FioGenerator::tausworthe64
                          ? static_cast<double>(streams_.offset64.next()) * 0x1p-64
                          : static_cast<double>(streams_.offset.next()) * 0x1p-32;
  return std::min(static_cast<std::uint64_t>(static_cast<double>(blocks) * unit), blocks - 1);
}

std::uint64_t FioOffsets::Walk::zoned_offset(const FioZones& zones, std::uint64_t align) {
  const std::uint32_t draw = streams_.zone.between(1, 100);
  const std::uint64_t percent_bytes = access_.size / 100;
  std::uint64_t access = 0;
  std::uint64_t before = 0;
  for (const FioZones::Zone& zone : zones.zones) {
    access += zone.access_percent;
    const std::uint64_t blocks = zone.size_percent * percent_bytes / align;
    if (draw <= access && blocks > 0) {
      return access_.offset + (before * percent_bytes / align + uniform_block(blocks)) * align;
    }
    before += zone.size_percent;
  }
  return access_.offset + uniform_block(access_.size / align) * align;
}

bool FioOffsets::Walk::at_end(std::size_t d) const { return position_[d] + access_.block_sizes[d].min > end_; }

std::uint64_t FioOffsets::Walk::sequential_offset(std::size_t d) {
  std::uint64_t offset = position_[d];
  if (!access_.random && offset != access_.offset) offset += access_.sequence;
  if (offset + access_.block_sizes[d].min > end_) offset = access_.offset;  // a gap leads over the end: wrap around
  return offset;
}

void FioOffsets::Walk::begin_lap() {
  ++lap_;
  if (map_) map_->clear();
  position_.fill(access_.offset);
  sequence_left_ = 0;
  if (restarts_streams_) streams_ = Streams(access_, seeds_, verify_);
}

FioOffsets::FioOffsets(const FioIoOptions& options) : walk_(std::make_unique<Walk>(options)) {}
FioOffsets::FioOffsets(FioOffsets&&) noexcept = default;
FioOffsets& FioOffsets::operator=(FioOffsets&&) noexcept = default;
FioOffsets::~FioOffsets() = default;

std::optional<FioIo> FioOffsets::next() { return walk_->next(); }
std::uint64_t FioOffsets::total_bytes() const { return walk_->total_bytes(); }

}  // namespace blkpress
