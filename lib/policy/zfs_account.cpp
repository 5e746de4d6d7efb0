#include "policy/zfs_account.hpp"

#include <algorithm>
#include <cstring>

#include "blkpress/fletcher4.hpp"

namespace blkpress {
namespace {

// OpenZFS: zfs_default_ibs 17; pools before feature flags used 16 KiB.
std::uint32_t indirect_bytes(ZfsVersion version) { return version.before_feature_flags() ? 16 * kKiB : 128 * kKiB; }

// Block pointers in the dnode: OpenZFS, module/zfs/dnode.c:dnode_allocate. A file's attributes leave room for one.
std::uint64_t dnode_pointers(ZfsLayout layout) { return layout == ZfsLayout::volume ? 3 : 1; }

// Blocks are laid out one behind the other, from here on. In a pool that is in use offsets / 512 take three bytes, as
// they do from 32 MiB on; with smaller ones an indirect block's length would differ by a sector more often.
constexpr std::uint64_t kFirstOffset = 128 * kMiB;

}  // namespace

ZfsAccount::ZfsAccount(const ZfsPolicy& policy)
    : policy_(policy),
      metadata_rules_(ZfsRules::of_indirect_blocks(policy.options())),
      metadata_codec_(metadata_rules_.options().compression.make_context()),
      indirect_bytes_(indirect_bytes(policy.options().version)),
      compressed_(indirect_bytes_) {}

void ZfsAccount::begin(std::uint64_t object_bytes) {
  sums_ = {};
  sums_.bytes = object_bytes;
  sums_.block_size = policy_.unit_bytes(object_bytes);
  records_ = (object_bytes + sums_.block_size - 1) / sums_.block_size;
  added_ = 0;
  last_allocated_ = false;
  next_offset_ = kFirstOffset;
  sums_.levels = levels_for(records_);
  for (Indirect& indirect : indirects_) indirect.used = 0, indirect.fill = 0;
  while (indirects_.size() + 1 < static_cast<std::size_t>(sums_.levels)) {
    indirects_.push_back({.pointers = std::vector<std::byte>(indirect_bytes_)});
  }
}

int ZfsAccount::levels_for(std::uint64_t records) const {
  const std::uint64_t per_block = indirect_bytes_ / kPointerBytes;
  int levels = 1;
  for (std::uint64_t reach = dnode_pointers(policy_.options().layout); reach < records; reach *= per_block) ++levels;
  return levels;
}

void ZfsAccount::add(const RecordFinding& finding) {
  const RecordOutcome& outcome = finding.outcome;
  BLKPRESS_ASSERT(added_ < records_ && outcome.lsize == sums_.block_size);
  if (outcome.kind == RecordKind::hole) {
    add_holes(1);
    return;
  }
  ++added_;
  last_allocated_ = true;
  sum_up(outcome);
  const ZfsOptions& options = policy_.options();
  ZfsPointer pointer{.outcome = outcome,
                     .copies = options.copies,
                     .offset = next_offset_,
                     .codec = compression_number(options.compression),
                     .type = options.layout == ZfsLayout::volume ? kVolumeType : kFileType,
                     .checksum = finding.checksum};
  pointer.copy_asize = outcome.asize / static_cast<std::uint32_t>(options.copies);
  next_offset_ += outcome.asize;
  if (std::byte* slot = next_slot(0)) {
    if (outcome.kind == RecordKind::embedded) {
      write_embedded_pointer(pointer, finding.embedded, slot);
    } else {
      write_pointer(pointer, slot);
    }
    slot_filled(0, 1);
  }
}

void ZfsAccount::add_holes(std::uint64_t records) {
  BLKPRESS_ASSERT(records <= records_ - added_);
  if (records == 0) return;
  last_allocated_ = false;
  ReasonSums& holes = sums_.reasons[static_cast<std::size_t>(RecordReason::hole)];
  holes.records += records;
  holes.lsize += records * sums_.block_size;
  added_ += records;
  skip_slots(0, records);
}

std::byte* ZfsAccount::next_slot(int level) {
  if (level + 1 >= sums_.levels) return nullptr;
  Indirect& above = indirects_[static_cast<std::size_t>(level)];
  return above.pointers.data() + above.used * kPointerBytes;
}

// The slot that next_slot(level) gave now holds a pointer; fill: blocks of data below it.
void ZfsAccount::slot_filled(int level, std::uint64_t fill) {
  Indirect& above = indirects_[static_cast<std::size_t>(level)];
  above.fill += fill;
  if (++above.used * kPointerBytes == indirect_bytes_) write_indirect(level + 1);
}

// Writes pointers to holes. Whole indirect blocks of them are holes themselves, one level up.
void ZfsAccount::skip_slots(int level, std::uint64_t count) {
  if (level + 1 >= sums_.levels) return;
  Indirect& above = indirects_[static_cast<std::size_t>(level)];
  const std::uint64_t per_block = indirect_bytes_ / kPointerBytes;
  BLKPRESS_ASSERT(per_block > 0);
  while (count > 0) {
    if (above.used == 0 && count >= per_block) {
      skip_slots(level + 1, count / per_block);
      count %= per_block;
      continue;
    }
    const std::uint64_t here = std::min(count, per_block - above.used);
    std::memset(above.pointers.data() + above.used * kPointerBytes, 0, here * kPointerBytes);
    above.used += here;
    count -= here;
    if (above.used == per_block) write_indirect(level + 1);
  }
}

// Stores the indirect block of that level and starts the next one.
void ZfsAccount::write_indirect(int level) {
  Indirect& block = indirects_[static_cast<std::size_t>(level - 1)];
  const std::uint64_t fill = block.fill;
  const std::size_t filled_bytes = block.used * kPointerBytes;
  block.used = 0;
  block.fill = 0;
  if (fill == 0) {
    skip_slots(level, 1);
    return;
  }
  std::memset(block.pointers.data() + filled_bytes, 0, indirect_bytes_ - filled_bytes);
  const ByteSpan room = ByteSpan(compressed_).first(metadata_rules_.capacity(indirect_bytes_));
  const RecordOutcome outcome =
      metadata_rules_.outcome(indirect_bytes_, metadata_codec_->compress(block.pointers, room));
  ++sums_.metadata.blocks;
  sums_.metadata.lsize += outcome.lsize;
  sum_allocation(outcome.psize, metadata_rules_.options().copies, sums_.metadata);

  std::byte* slot = next_slot(level);
  if (slot == nullptr) return;
  ByteView stored = block.pointers;
  if (outcome.kind == RecordKind::compressed) {
    std::memset(compressed_.data() + outcome.payload, 0, outcome.psize - outcome.payload);
    stored = ByteView(compressed_).first(outcome.psize);
  }
  const ZfsOptions& options = metadata_rules_.options();
  const ZfsPointer pointer{.outcome = outcome,
                           .copy_asize = outcome.asize / static_cast<std::uint32_t>(options.copies),
                           .copies = options.copies,
                           .offset = next_offset_,
                           .codec = compression_number(options.compression),
                           .type = options.layout == ZfsLayout::volume ? kVolumeType : kFileType,
                           .level = static_cast<std::uint32_t>(level),
                           .fill = fill,
                           .checksum = fletcher4(stored)};
  next_offset_ += outcome.asize;
  write_pointer(pointer, slot);
  slot_filled(level, fill);
}

void ZfsAccount::sum_up(const RecordOutcome& outcome) {
  const std::uint64_t before = sums_.data.asize - sums_.data.parity - sums_.data.skip;
  ++sums_.data.blocks;
  sums_.data.lsize += outcome.lsize;
  if (outcome.kind == RecordKind::embedded) {
    sums_.embedded_payload += outcome.payload;
  } else {
    sum_allocation(outcome.psize, policy_.options().copies, sums_.data);
  }
  ReasonSums& reason = sums_.reasons[static_cast<std::size_t>(outcome.reason)];
  ++reason.records;
  reason.lsize += outcome.lsize;
  reason.psize += outcome.psize;
  reason.asize += outcome.asize;
  reason.payload += outcome.payload;
  if (outcome.kind != RecordKind::embedded) {
    const std::uint64_t data_bytes = sums_.data.asize - sums_.data.parity - sums_.data.skip - before;
    reason.padding +=
        data_bytes - std::uint64_t{outcome.payload} * static_cast<std::uint64_t>(policy_.options().copies);
  }
}

void ZfsAccount::sum_allocation(std::uint32_t psize, int copies, BlockSums& sums) const {
  const VdevGeometry& vdev = policy_.options().vdev;
  const VdevGeometry::Sectors sectors = vdev.sectors(psize);
  const std::uint64_t unit = vdev.sector_bytes() * static_cast<std::uint64_t>(copies);
  const std::uint64_t asize = (sectors.data + sectors.parity + sectors.skip) * unit;
  sums.psize += psize;
  sums.asize += asize;
  sums.parity += sectors.parity * unit;
  sums.skip += sectors.skip * unit;
  sums.dsize += vdev.deflated(asize);
}

ObjectSums ZfsAccount::finish() {
  add_holes(records_ - added_);
  for (int level = 1; level < sums_.levels; ++level) {
    if (indirects_[static_cast<std::size_t>(level - 1)].used > 0) write_indirect(level);
  }
  if (last_allocated_) sums_.tail_padding = records_ * sums_.block_size - sums_.bytes;
  // OpenZFS, module/zfs/zfs_znode.c: an object's blocks, rounded, and one for its dnode.
  sums_.st_blocks = (sums_.data.dsize + sums_.metadata.dsize + 256) / 512 + 1;
  return sums_;
}

}  // namespace blkpress
