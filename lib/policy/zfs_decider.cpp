#include "policy/zfs_decider.hpp"

#include <algorithm>
#include <cstring>

#include "blkpress/fletcher4.hpp"

namespace blkpress {

ZfsDecider::ZfsDecider(const ZfsOptions& options, bool checksums)
    : rules_(options), checksums_(checksums), codec_(options.compression.make_context()) {
  if (rules_.early_abort(static_cast<std::uint32_t>(options.recordsize))) {
    early_lz4_ = compression_named("lz4").make_context();
    early_zstd_ = compression_named("zstd-1").make_context();
  }
}

RecordFinding ZfsDecider::decide(ByteView bytes, std::uint32_t unit) {
  BLKPRESS_ASSERT(!bytes.empty() && bytes.size() <= unit && unit % 512 == 0);
  RecordFinding finding;
  stored_ = {};
  const bool off = rules_.options().compression.is_off();
  // Without compression nothing looks for zeros: such a record is stored in full.
  if (!off && all_zero(bytes)) {
    finding.outcome = rules_.hole(unit);
    return finding;
  }
  const ByteView record = whole_record(bytes, unit);
  finding.outcome = off ? rules_.raw(unit, RecordReason::compression_off) : compress(record);
  switch (finding.outcome.kind) {
    case RecordKind::embedded:
      std::copy_n(compressed_.begin(), finding.outcome.payload, finding.embedded.begin());
      return finding;
    case RecordKind::compressed: {
      const ByteSpan block = scratch(finding.outcome.psize);
      std::memset(block.data() + finding.outcome.payload, 0, block.size() - finding.outcome.payload);
      stored_ = block;
      break;
    }
    default:
      stored_ = record;
  }
  if (checksums_) finding.checksum = fletcher4(stored_);
  return finding;
}

ByteView ZfsDecider::whole_record(ByteView bytes, std::uint32_t unit) {
  if (bytes.size() == unit) return bytes;
  if (padded_.size() < unit) padded_.resize(unit);
  std::memcpy(padded_.data(), bytes.data(), bytes.size());
  std::memset(padded_.data() + bytes.size(), 0, unit - bytes.size());
  return {padded_.data(), unit};
}

ByteSpan ZfsDecider::scratch(std::size_t size) {
  if (compressed_.size() < size) compressed_.resize(size);
  return {compressed_.data(), size};
}

RecordOutcome ZfsDecider::compress(ByteView record) {
  const auto lsize = static_cast<std::uint32_t>(record.size());
  if (aborts_early(record)) return rules_.raw(lsize, RecordReason::codec_gave_up);
  // The record's own size fits whatever psize the outcome has.
  const ByteSpan room = scratch(record.size()).first(rules_.capacity(lsize));
  RecordOutcome outcome = rules_.outcome(lsize, codec_->compress(record, room));
  if (outcome.kind == RecordKind::raw && rules_.options().exact_reasons) {
    outcome.reason = exact_reason(record);
  }
  return outcome;
}

// OpenZFS, module/zstd/zfs_zstd.c:zfs_zstd_compress_buf: the real level is tried only if lz4, or else zstd-1, saves
// enough. lz4 must stay below the capacity; its result may not fill it.
bool ZfsDecider::aborts_early(ByteView record) {
  const auto lsize = static_cast<std::uint32_t>(record.size());
  if (!rules_.early_abort(lsize)) return false;
  const ByteSpan room = scratch(record.size()).first(rules_.capacity(lsize));
  const auto lz4 = early_lz4_->compress(record, room);
  if (lz4 && *lz4 < room.size()) return false;
  return !early_zstd_->compress(record, room).has_value();
}

RecordReason ZfsDecider::exact_reason(ByteView record) {
  const std::size_t lsize = record.size();
  const auto length = codec_->compress(record, scratch(lsize));
  if (!length || *length >= lsize) return RecordReason::codec_gave_up;
  return *length > lsize - lsize / 8 ? RecordReason::saves_too_little : RecordReason::sector_rounding;
}

}  // namespace blkpress
