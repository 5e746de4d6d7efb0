#include <algorithm>

#include "blkpress/zfs_policy.hpp"

namespace blkpress {
namespace {

// The longest output that fits into a block pointer: OpenZFS, include/sys/spa.h: BPE_PAYLOAD_SIZE.
constexpr std::uint32_t kMaxEmbeddedBytes = 112;

// The keep rule: a record that saves less than an eighth is stored raw.
constexpr std::uint32_t keep_limit(std::uint32_t lsize) { return lsize - lsize / 8; }

}  // namespace

ZfsRules::ZfsRules(const ZfsOptions& options) : options_(options) {
  // Before OpenZFS 0.6.5 (c3520e7f1f) psize was a multiple of 512 whatever the sector.
  rounding_ = options.version.before_feature_flags() ? 512 : static_cast<std::uint32_t>(options.vdev.sector_bytes());
  // OpenZFS 2.3 (522f2629c8), except for zle (b32d48a625).
  capacity_in_sectors_ = options.version >= ZfsVersion::release(2, 3) && options.compression.codec->name != "zle";
  embeds_ = !options.version.before_feature_flags();
}

// OpenZFS, module/zfs/dmu.c:dmu_write_policy: metadata is compressed with what "on" means, one copy more than data has
// and never embedded above level 0.
ZfsRules ZfsRules::of_indirect_blocks(const ZfsOptions& options) {
  ZfsOptions metadata = options;
  metadata.compression = compression_named(options.version.before_feature_flags() ? "lzjb" : "lz4");
  metadata.copies = std::min(3, options.copies + 1);
  ZfsRules rules(metadata);
  rules.embeds_ = false;
  return rules;
}

// OpenZFS, module/zfs/zio.c:zio_get_compression_max_size.
std::uint32_t ZfsRules::capacity(std::uint32_t lsize) const {
  const std::uint32_t limit = keep_limit(lsize);
  if (!capacity_in_sectors_) return limit;
  const std::uint32_t in_sectors = limit / rounding_ * rounding_;
  return in_sectors >= rounding_ ? in_sectors : kMaxEmbeddedBytes;
}

// OpenZFS, module/zfs/zio.c:zio_write_compress.
RecordOutcome ZfsRules::outcome(std::uint32_t lsize, std::optional<std::size_t> length) const {
  const std::uint32_t room = capacity(lsize);
  if (!length || *length > room) {
    // With room for an embedded record only, no compressed length could have saved a sector.
    const bool by_rounding = room <= kMaxEmbeddedBytes || (length && *length <= keep_limit(lsize));
    return raw(lsize, by_rounding ? RecordReason::sector_rounding : RecordReason::saves_too_little);
  }
  const auto payload = static_cast<std::uint32_t>(*length);
  if (embeds_ && payload <= kMaxEmbeddedBytes) {
    return {RecordKind::embedded, RecordReason::embedded, lsize, 0, 0, payload};
  }
  const auto psize = static_cast<std::uint32_t>(round_up(payload, rounding_));
  if (psize >= lsize) return raw(lsize, RecordReason::sector_rounding);
  return {RecordKind::compressed, RecordReason::compressed, lsize, psize, asize(psize), payload};
}

RecordOutcome ZfsRules::hole(std::uint32_t lsize) const {
  return {RecordKind::hole, RecordReason::hole, lsize, 0, 0, 0};
}

// psize stays at lsize even where that is no multiple of the sector; only asize is rounded.
RecordOutcome ZfsRules::raw(std::uint32_t lsize, RecordReason reason) const {
  return {RecordKind::raw, reason, lsize, lsize, asize(lsize), lsize};
}

std::uint32_t ZfsRules::asize(std::uint32_t psize) const {
  return static_cast<std::uint32_t>(options_.vdev.asize(psize)) * static_cast<std::uint32_t>(options_.copies);
}

// OpenZFS 2.2 (f375b23c02), module/zstd/zfs_zstd.c: zstd_cutoff_level 3, zstd_abort_size 128 KiB.
bool ZfsRules::early_abort(std::uint32_t lsize) const {
  return options_.version >= ZfsVersion::release(2, 2) && options_.compression.codec->name == "zstd" &&
         options_.compression.level >= 3 && lsize >= 128 * kKiB;
}

}  // namespace blkpress
