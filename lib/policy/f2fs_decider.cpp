#include "policy/f2fs_decider.hpp"

#include <cstring>

#include "policy/f2fs_layout.hpp"

namespace blkpress {

F2fsDecider::F2fsDecider(const F2fsOptions& options)
    : options_(options),
      codec_(options.compresses() ? make_f2fs_cluster_codec(options) : nullptr),
      compressed_(codec_ != nullptr ? options.cluster_bytes() : 0),
      padded_(options.cluster_bytes()) {}

RecordFinding F2fsDecider::decide(ByteView bytes, std::uint32_t unit) {
  BLKPRESS_ASSERT(!bytes.empty() && bytes.size() <= unit && unit <= options_.cluster_bytes());
  RecordFinding finding;
  stored_ = {};
  if (unit == kF2fsBlock) {
    finding.outcome = {.kind = RecordKind::embedded,
                       .reason = RecordReason::embedded,
                       .lsize = kF2fsBlock,
                       .payload = static_cast<std::uint32_t>(bytes.size())};
  } else if (codec_ == nullptr) {
    finding.outcome = raw(bytes, RecordReason::compression_off);
  } else if ((options_.writer == F2fsWriter::sload ? bytes.size() : round_up(bytes.size(), kF2fsBlock)) < unit) {
    // Linux, fs/f2fs/compress.c:cluster_has_invalid_data: no page of the cluster may lie beyond the end of the file.
    // sload.f2fs leaves a last page that is not full raw as well.
    finding.outcome = raw(bytes, RecordReason::too_short);
  } else {
    finding.outcome = compress(bytes);
  }
  return finding;
}

ByteView F2fsDecider::whole_blocks(ByteView bytes) {
  const std::size_t size = round_up(bytes.size(), kF2fsBlock);
  if (bytes.size() == size) return bytes;
  std::memcpy(padded_.data(), bytes.data(), bytes.size());
  std::memset(padded_.data() + bytes.size(), 0, size - bytes.size());
  return ByteView(padded_).first(size);
}

RecordOutcome F2fsDecider::raw(ByteView bytes, RecordReason reason) {
  stored_ = whole_blocks(bytes);
  const auto size = static_cast<std::uint32_t>(stored_.size());
  return {.kind = RecordKind::raw, .reason = reason, .lsize = size, .psize = size, .asize = size, .payload = size};
}

// Linux, fs/f2fs/compress.c:f2fs_compress_pages: kept if header and stream leave at least one block of the cluster
// free; sload.f2fs asks for min_saved_blocks.
RecordOutcome F2fsDecider::compress(ByteView bytes) {
  const std::uint32_t lsize = options_.cluster_bytes();
  const std::uint32_t room = lsize - static_cast<std::uint32_t>(options_.min_saved_blocks) * kF2fsBlock;
  const auto length =
      codec_->compress(whole_blocks(bytes), ByteSpan(compressed_).first(room).subspan(kF2fsClusterHeader));
  if (!length) return raw(bytes, RecordReason::saves_too_little);
  // The checksum is an option of its own, and 0 without it.
  std::memset(compressed_.data(), 0, kF2fsClusterHeader);
  store_le(compressed_.data(), static_cast<std::uint32_t>(*length));
  const auto payload = kF2fsClusterHeader + static_cast<std::uint32_t>(*length);
  const auto psize = static_cast<std::uint32_t>(round_up(payload, kF2fsBlock));
  std::memset(compressed_.data() + payload, 0, psize - payload);
  stored_ = ByteView(compressed_).first(psize);
  // What is saved stays reserved for the file until it is released: Linux, fs/f2fs/f2fs.h:f2fs_i_compr_blocks_update.
  return {.kind = RecordKind::compressed,
          .reason = RecordReason::compressed,
          .lsize = lsize,
          .psize = psize,
          .asize = options_.release ? psize : lsize,
          .payload = payload};
}

}  // namespace blkpress
