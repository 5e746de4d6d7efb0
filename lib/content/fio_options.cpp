#include "blkpress/fio_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace blkpress {
namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 60;      // no product of ours overflows below
constexpr std::uint64_t kMaxMapBlocks = std::uint64_t{1} << 31;  // 256 MiB of map
constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 30;
constexpr std::uint32_t kMaxDepth = 65536;

template <class... Args>
Error usage(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorKind::usage, fmt::format(text, std::forward<Args>(args)...)};
}

Status check_blocks(const FioBlockSizes& sizes, std::optional<std::uint64_t> align) {
  if (sizes.min == 0 || sizes.min > sizes.max) {
    return usage("block size {}-{} is not a range of 1 byte or more", sizes.min, sizes.max);
  }
  if (sizes.max > kMaxBufferBytes) return usage("block size {} is above {}", sizes.max, kMaxBufferBytes);
  if (align && *align == 0) return usage("blockalign 0 is not 1 byte or more");
  std::uint64_t percent = 0;
  for (const FioSplit& entry : sizes.split) {
    if (entry.size < sizes.min || entry.size > sizes.max) return usage("bssplit size {} is out of range", entry.size);
    percent += entry.percent.value_or(0);
  }
  if (percent > 100) return usage("bssplit percentages add up to {}, more than 100", percent);
  return ok();
}

Status check_percent(const char* option, std::uint32_t value) {
  if (value > 100) return usage("{} {} is not between 0 and 100", option, value);
  return ok();
}

Status check_centre(std::optional<double> centre) {
  if (centre && !(*centre >= 0 && *centre <= 1)) {
    return usage("random_distribution centre {} is not between 0 and 1", *centre);
  }
  return ok();
}

struct DistributionCheck {
  Status operator()(FioUniform) const { return ok(); }
  Status operator()(const FioZipf& zipf) const {
    if (!(zipf.theta > 0 && zipf.theta <= 100) || zipf.theta == 1.0) {
      return usage("zipf theta {} is not above 0, up to 100 and different from 1", zipf.theta);
    }
    return check_centre(zipf.centre);
  }
  Status operator()(const FioPareto& pareto) const {
    if (!(pareto.power > 0 && pareto.power < 1)) return usage("pareto {} is not between 0 and 1", pareto.power);
    return check_centre(pareto.centre);
  }
  Status operator()(const FioNormal& normal) const {
    if (!(normal.deviation_percent >= 0 && normal.deviation_percent <= 100)) {
      return usage("normal deviation {} is not between 0 and 100", normal.deviation_percent);
    }
    return check_centre(normal.centre);
  }
  Status operator()(const FioZones& zones) const {
    std::uint64_t access = 0;
    std::uint64_t size = 0;
    for (const auto& zone : zones.zones) {
      access += zone.access_percent;
      size += zone.size_percent;
    }
    if (access != 100 || size != 100) {
      return usage("zoned accesses add up to {} and sizes to {}, instead of 100", access, size);
    }
    return ok();
  }
};

Status check_access(const FioAccess& access) {
  if (!access.reads && !access.writes) return usage("a job must read or write");
  std::uint64_t smallest = kMaxBytes;
  for (std::size_t d = 0; d < 2; ++d) {
    if (!(d == 0 ? access.reads : access.writes)) continue;
    BLKPRESS_TRY(check_blocks(access.block_sizes[d], access.block_align[d]));
    BLKPRESS_TRY(check_percent("percentage_random", access.percentage_random[d]));
    smallest = std::min(smallest, access.block_sizes[d].min);
  }
  if (access.size == 0) return usage("size is missing or 0");
  if (access.size < smallest) return usage("size {} is below the block size {}", access.size, smallest);
  for (const std::uint64_t bytes : {access.size, access.offset, access.io_size, access.sequence}) {
    if (bytes > kMaxBytes) return usage("{} bytes are more than {}", bytes, kMaxBytes);
  }
  if (access.loops == 0 || access.loops > kMaxBytes / access.size) {
    return usage("loops {} times size {} is out of range", access.loops, access.size);
  }
  BLKPRESS_TRY(check_percent("rwmixread", access.rwmixread));
  BLKPRESS_TRY(std::visit(DistributionCheck{}, access.distribution));
  if (!access.random) return ok();
  for (std::size_t d = 0; d < 2; ++d) {
    const bool used = d == 0 ? access.reads : access.writes;
    const std::uint64_t align = access.block_align[d].value_or(smallest);
    if (used && align > access.size) return usage("blockalign {} is above size {}", align, access.size);
  }
  const bool uniform = std::holds_alternative<FioUniform>(access.distribution);
  if (std::holds_alternative<FioZones>(access.distribution) && !access.norandommap) {
    return usage("random_distribution=zoned is only supported with norandommap");
  }
  const std::uint64_t blocks = access.size / smallest;
  if (uniform && access.generator == FioGenerator::tausworthe && !access.norandommap && blocks > kMaxMapBlocks) {
    return usage("a random map of {} blocks is above {}: use norandommap", blocks, kMaxMapBlocks);
  }
  if (access.generator == FioGenerator::lfsr && blocks >> 48 != 0) return usage("lfsr reaches fewer than 2^48 blocks");
  return ok();
}

}  // namespace

Status check(const FioIoOptions& options) {
  BLKPRESS_TRY(check_access(options.access));
  const FioContent& content = options.content;
  BLKPRESS_TRY(check_percent("buffer_compress_percentage", content.compress_percentage));
  BLKPRESS_TRY(check_percent("dedupe_percentage", content.dedupe_percentage));
  BLKPRESS_TRY(check_percent("dedupe_working_set_percentage", content.dedupe_working_set_percentage));
  if (content.depth == 0 || content.depth > kMaxDepth) {
    return usage("iodepth {} is not between 1 and {}", content.depth, kMaxDepth);
  }
  std::uint64_t largest = 0;
  if (options.access.reads) largest = options.access.block_sizes[0].max;
  if (options.access.writes) largest = std::max(largest, options.access.block_sizes[1].max);
  if (largest > kMaxBufferBytes / content.depth) {
    return usage("iodepth {} times block size {} is above {} bytes", content.depth, largest, kMaxBufferBytes);
  }
  if (options.seeding.job == 0) return usage("job numbers start at 1");
  return ok();
}

}  // namespace blkpress
