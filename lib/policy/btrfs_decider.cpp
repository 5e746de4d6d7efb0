#include "policy/btrfs_decider.hpp"

#include <cstring>

#include "policy/btrfs_heuristic.hpp"
#include "policy/btrfs_layout.hpp"

namespace blkpress {
namespace {

std::uint32_t in_sectors(std::size_t size) { return static_cast<std::uint32_t>(round_up(size, kBtrfsSector)); }

// An inline extent takes exactly its bytes, and counts as long as they are.
RecordOutcome inline_extent(ByteView bytes, std::size_t length) {
  const auto stored = static_cast<std::uint32_t>(length);
  return {.kind = RecordKind::embedded,
          .reason = RecordReason::embedded,
          .lsize = static_cast<std::uint32_t>(bytes.size()),
          .psize = stored,
          .asize = stored,
          .payload = stored};
}

}  // namespace

BtrfsDecider::BtrfsDecider(const BtrfsOptions& options)
    : options_(options),
      codec_(options.compresses() ? make_btrfs_extent_codec(options) : nullptr),
      compressed_(codec_ != nullptr ? kBtrfsExtent : 0) {}

RecordFinding BtrfsDecider::decide(ByteView bytes, std::uint32_t unit) {
  BLKPRESS_ASSERT(!bytes.empty() && bytes.size() <= unit && unit <= kBtrfsExtent);
  const bool whole_file = unit == kBtrfsSector;
  RecordFinding finding;
  if (codec_ == nullptr) {
    finding.outcome = raw(bytes, whole_file, RecordReason::compression_off);
  } else if (bytes.size() <= kBtrfsSector && !whole_file) {
    // Linux, fs/btrfs/inode.c:compress_file_range: a last sector that is not the file could save nothing.
    finding.outcome = raw(bytes, whole_file, RecordReason::too_short);
  } else if (!options_.force && !worth_trying(btrfs_guess(bytes))) {
    finding.outcome = raw(bytes, whole_file, RecordReason::heuristic);
  } else {
    finding.outcome = compress(bytes, whole_file);
  }
  return finding;
}

// Linux, fs/btrfs/inode.c:can_cow_file_range_inline.
bool BtrfsDecider::fits_inline(std::size_t size) const {
  return size <= options_.max_inline && size < kBtrfsSector && !options_.nodatacow && !options_.fallocated;
}

RecordOutcome BtrfsDecider::raw(ByteView bytes, bool whole_file, RecordReason reason) {
  stored_ = bytes;
  if (whole_file && fits_inline(bytes.size())) return inline_extent(bytes, bytes.size());
  const std::uint32_t size = in_sectors(bytes.size());
  if (bytes.size() < size) {
    if (padded_.size() < size) padded_.resize(size);
    std::memcpy(padded_.data(), bytes.data(), bytes.size());
    std::memset(padded_.data() + bytes.size(), 0, size - bytes.size());
    stored_ = ByteView(padded_).first(size);
  }
  return {.kind = RecordKind::raw, .reason = reason, .lsize = size, .psize = size, .asize = size, .payload = size};
}

// Linux, fs/btrfs/inode.c:compress_file_range: inline first, then the rule that a whole sector must be saved.
RecordOutcome BtrfsDecider::compress(ByteView bytes, bool whole_file) {
  const std::uint32_t lsize = in_sectors(bytes.size());
  const auto length = codec_->compress(bytes, ByteSpan(compressed_).first(lsize));
  if (!length) return raw(bytes, whole_file, RecordReason::codec_gave_up);
  if (whole_file && fits_inline(*length)) {
    stored_ = ByteView(compressed_).first(*length);
    return inline_extent(bytes, *length);
  }
  const std::uint32_t psize = in_sectors(*length);
  if (psize + kBtrfsSector > lsize) {
    const bool shrank = *length < bytes.size();
    return raw(bytes, whole_file, shrank ? RecordReason::sector_rounding : RecordReason::codec_gave_up);
  }
  std::memset(compressed_.data() + *length, 0, psize - *length);
  stored_ = ByteView(compressed_).first(psize);
  return {.kind = RecordKind::compressed,
          .reason = RecordReason::compressed,
          .lsize = lsize,
          .psize = psize,
          .asize = psize,
          .payload = static_cast<std::uint32_t>(*length)};
}

}  // namespace blkpress
