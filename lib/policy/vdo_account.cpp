#include "policy/vdo_account.hpp"

#include "policy/vdo_layout.hpp"

namespace blkpress {

void VdoAccount::begin(std::uint64_t object_bytes) {
  sums_ = {};
  sums_.bytes = object_bytes;
  sums_.block_size = kVdoBlock;
  packer_ = VdoPacker(options_.bins);
  blocks_ = 0;
  last_allocated_ = false;
}

std::uint64_t VdoAccount::rest() const { return (sums_.bytes + kVdoBlock - 1) / kVdoBlock - blocks_; }

void VdoAccount::add(const RecordFinding& finding) {
  BLKPRESS_ASSERT(rest() > 0);
  const RecordOutcome& outcome = finding.outcome;
  if (outcome.kind == RecordKind::hole) {
    add_holes(1);
    return;
  }
  ++blocks_;
  last_allocated_ = true;
  ++sums_.data.blocks;
  sums_.data.lsize += kVdoBlock;
  if (outcome.kind == RecordKind::compressed) {
    const VdoPacker::Left left = packer_.add(outcome.psize);
    write(left.made_room);
    write(left.full);
    return;
  }
  ReasonSums& reason = sums_.reasons[static_cast<std::size_t>(outcome.reason)];
  reason += {1, kVdoBlock, kVdoBlock, kVdoBlock, kVdoBlock, 0};
  sums_.data.psize += kVdoBlock;
  sums_.data.asize += kVdoBlock;
}

// One physical block. A fragment that is alone is stored as it was before compression.
void VdoAccount::write(const VdoPacker::Written& group) {
  if (group.fragments == 0) return;
  const bool alone = group.fragments == 1;
  const std::uint64_t bytes = alone ? kVdoBlock : group.bytes;
  ReasonSums& reason =
      sums_.reasons[static_cast<std::size_t>(alone ? RecordReason::no_partner : RecordReason::compressed)];
  reason +=
      {group.fragments, std::uint64_t{group.fragments} * kVdoBlock, kVdoBlock, kVdoBlock, bytes, kVdoBlock - bytes};
  sums_.data.psize += kVdoBlock;
  sums_.data.asize += kVdoBlock;
}

void VdoAccount::add_holes(std::uint64_t records) {
  if (records == 0) return;
  BLKPRESS_ASSERT(records <= rest());
  blocks_ += records;
  last_allocated_ = false;
  ReasonSums& holes = sums_.reasons[static_cast<std::size_t>(RecordReason::hole)];
  holes.records += records;
  holes.lsize += records * kVdoBlock;
}

ObjectSums VdoAccount::finish() {
  if (last_allocated_ && rest() == 0) sums_.tail_padding = round_up(sums_.bytes, kVdoBlock) - sums_.bytes;
  add_holes(rest());
  for (VdoPacker::Written group = packer_.flush(); group.fragments > 0; group = packer_.flush()) write(group);
  sums_.data.dsize = sums_.data.asize;
  sums_.st_blocks = sums_.data.asize / 512;
  return sums_;
}

}  // namespace blkpress
