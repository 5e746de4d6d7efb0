#include "policy/btrfs_account.hpp"

#include <algorithm>

#include "policy/btrfs_layout.hpp"

namespace blkpress {
namespace {

// A codec ran and its result was not kept. A heuristic's no is not one.
bool did_not_shrink(RecordReason reason) {
  return reason == RecordReason::codec_gave_up || reason == RecordReason::sector_rounding;
}

RecordOutcome plain(const RecordOutcome& outcome) {
  if (outcome.kind == RecordKind::raw) return outcome;
  return {.kind = RecordKind::raw,
          .reason = RecordReason::after_raw,
          .lsize = outcome.lsize,
          .psize = outcome.lsize,
          .asize = outcome.lsize,
          .payload = outcome.lsize};
}

}  // namespace

void BtrfsAccount::begin(std::uint64_t object_bytes) {
  sums_ = {};
  sums_.bytes = object_bytes;
  sums_.block_size = kBtrfsSector;
  unit_ = policy_.unit_bytes(object_bytes);
  position_ = 0;
  in_range_ = false;
  nocompress_ = false;
  last_allocated_ = false;
}

// Linux, fs/btrfs/inode.c:btrfs_run_delalloc_range: compressed or not is decided for the whole range, by what its first
// 128 KiB look like.
void BtrfsAccount::start_range(const RecordOutcome& outcome) {
  in_range_ = true;
  range_start_ = position_;
  const BtrfsOptions& options = policy_.options();
  range_plain_ =
      !options.compresses() || (!options.force && (nocompress_ || outcome.reason == RecordReason::heuristic));
  extent_open_ = false;
}

void BtrfsAccount::add(const RecordFinding& finding) {
  const RecordOutcome& outcome = finding.outcome;
  BLKPRESS_ASSERT(position_ < sums_.bytes && outcome.lsize > 0 && outcome.lsize <= unit_);
  last_allocated_ = outcome.kind != RecordKind::embedded;
  if (outcome.kind == RecordKind::embedded) {
    sums_.embedded_payload += outcome.payload;
    sum_up(outcome, true);
  } else {
    if (!in_range_ || position_ - range_start_ == kBtrfsRange) start_range(outcome);
    if (!range_plain_ && (position_ - range_start_) % kBtrfsChunk == 0) {
      chunk_plain_ = false;
      extent_open_ = false;
    }
    if (takes_compressed(outcome)) {
      sum_up(outcome, true);
    } else {
      sum_up(plain(outcome), !extent_open_);
      extent_open_ = true;
    }
  }
  position_ = std::min(position_ + unit_, sums_.bytes);
}

bool BtrfsAccount::takes_compressed(const RecordOutcome& outcome) {
  if (range_plain_ || chunk_plain_) return false;
  if (outcome.kind == RecordKind::compressed && !nocompress_) return true;
  // Linux, fs/btrfs/inode.c:compress_file_range: with the first no, the rest of the chunk is written as one extent; the
  // flag is set when a codec found nothing, except under compress-force. A set flag counts as a no as well.
  chunk_plain_ = true;
  if (!policy_.options().force && !nocompress_) nocompress_ = did_not_shrink(outcome.reason);
  return false;
}

// A range that was never written ends the range before it.
void BtrfsAccount::add_holes(std::uint64_t records) {
  if (records == 0) return;
  BLKPRESS_ASSERT(records <= (sums_.bytes - position_ + unit_ - 1) / unit_);
  const std::uint64_t end = std::min(position_ + records * unit_, sums_.bytes);
  ReasonSums& holes = sums_.reasons[static_cast<std::size_t>(RecordReason::hole)];
  holes.records += records;
  holes.lsize += round_up(end, kBtrfsSector) - position_;
  position_ = end;
  in_range_ = false;
  last_allocated_ = false;
}

void BtrfsAccount::sum_up(const RecordOutcome& outcome, bool new_extent) {
  if (new_extent) ++sums_.data.blocks;
  sums_.data.lsize += outcome.lsize;
  sums_.data.psize += outcome.psize;
  sums_.data.asize += outcome.asize;
  sums_.data.dsize += outcome.asize;
  // stat counts what the extents hold, whatever they take on disk: Linux, fs/btrfs/inode.c:btrfs_getattr.
  sums_.st_blocks += round_up(outcome.lsize, kBtrfsSector) / 512;
  ReasonSums& reason = sums_.reasons[static_cast<std::size_t>(outcome.reason)];
  ++reason.records;
  reason.lsize += outcome.lsize;
  reason.psize += outcome.psize;
  reason.asize += outcome.asize;
  reason.payload += outcome.payload;
  reason.padding += outcome.asize - outcome.payload;
}

ObjectSums BtrfsAccount::finish() {
  add_holes((sums_.bytes - position_ + unit_ - 1) / unit_);
  if (last_allocated_) sums_.tail_padding = round_up(sums_.bytes, kBtrfsSector) - sums_.bytes;
  return sums_;
}

}  // namespace blkpress
