#include "policy/f2fs_account.hpp"

#include <algorithm>

#include "policy/f2fs_layout.hpp"

namespace blkpress {
namespace {

// Linux, include/linux/f2fs_fs.h: an inode has room for 923 addresses, of which 9 go to the extra attributes that
// compression needs and 50 to inline extended attributes; an index block has 1018, of data or of index blocks.
constexpr std::uint64_t kInInode = 923 - 9 - 50;
constexpr std::uint64_t kInNode = 1018;
// Linux, Documentation/filesystems/f2fs.rst: an inode points to two direct nodes, two indirect ones and one double
// indirect one.
constexpr std::uint64_t kDirectNodes = 2;
constexpr std::uint64_t kIndirectNodes = 2;

}  // namespace

// Linux, fs/f2fs/f2fs.h:addrs_per_page: of a compressed file, addresses are used in whole clusters.
F2fsAccount::F2fsAccount(const F2fsPolicy& policy) : policy_(policy), in_inode_(kInInode), in_node_(kInNode) {
  if (!policy.options().all_files) return;
  const std::uint64_t cluster = policy.options().cluster_bytes() / kF2fsBlock;
  in_inode_ -= in_inode_ % cluster;
  in_node_ -= in_node_ % cluster;
}

void F2fsAccount::begin(std::uint64_t object_bytes) {
  sums_ = {};
  sums_.bytes = object_bytes;
  sums_.block_size = kF2fsBlock;
  unit_ = policy_.unit_bytes(object_bytes);
  position_ = 0;
  nodes_ = 0;
  next_direct_ = 0;
  next_indirect_ = 0;
  has_double_ = false;
  last_allocated_ = false;
}

void F2fsAccount::add(const RecordFinding& finding) {
  const RecordOutcome& outcome = finding.outcome;
  BLKPRESS_ASSERT(position_ < sums_.bytes && outcome.lsize > 0 && outcome.lsize <= unit_);
  ++sums_.data.blocks;
  sums_.data.lsize += outcome.lsize;
  sums_.data.psize += outcome.psize;
  sums_.data.asize += outcome.asize;
  sums_.data.dsize += outcome.asize;
  ReasonSums& reason = sums_.reasons[static_cast<std::size_t>(outcome.reason)];
  ++reason.records;
  reason.lsize += outcome.lsize;
  reason.psize += outcome.psize;
  reason.asize += outcome.asize;
  reason.payload += outcome.payload;
  last_allocated_ = true;
  if (outcome.kind == RecordKind::embedded) {
    sums_.embedded_payload += outcome.payload;
  } else {
    reason.padding += outcome.asize - outcome.payload;
    index(position_ / kF2fsBlock, (position_ + outcome.lsize) / kF2fsBlock);
  }
  position_ = std::min(position_ + unit_, sums_.bytes);
}

void F2fsAccount::index(std::uint64_t first, std::uint64_t end) {
  if (end <= in_inode_) return;
  std::uint64_t direct = first <= in_inode_ ? 0 : (first - in_inode_) / in_node_;
  const std::uint64_t last = (end - 1 - in_inode_) / in_node_;
  for (direct = std::max(direct, next_direct_); direct <= last; ++direct) {
    ++nodes_;
    if (direct < kDirectNodes) continue;
    const std::uint64_t indirect = (direct - kDirectNodes) / kInNode;
    if (indirect < next_indirect_) continue;
    ++nodes_;
    next_indirect_ = indirect + 1;
    if (indirect >= kIndirectNodes && !has_double_) {
      ++nodes_;
      has_double_ = true;
    }
  }
  next_direct_ = std::max(next_direct_, last + 1);
}

void F2fsAccount::add_holes(std::uint64_t records) {
  if (records == 0) return;
  const std::uint64_t most = (sums_.bytes - position_ + unit_ - 1) / unit_;
  BLKPRESS_ASSERT(records <= most);
  const std::uint64_t end = std::min(position_ + records * unit_, sums_.bytes);
  ReasonSums& holes = sums_.reasons[static_cast<std::size_t>(RecordReason::hole)];
  holes.records += records;
  holes.lsize += round_up(end, kF2fsBlock) - position_;
  position_ = end;
  last_allocated_ = false;
}

ObjectSums F2fsAccount::finish() {
  add_holes((sums_.bytes - position_ + unit_ - 1) / unit_);
  if (last_allocated_) sums_.tail_padding = round_up(sums_.bytes, kF2fsBlock) - sums_.bytes;
  BlockSums& metadata = sums_.metadata;
  metadata.blocks = 1 + nodes_;
  metadata.lsize = metadata.psize = metadata.asize = metadata.dsize = metadata.blocks * kF2fsBlock;
  sums_.st_blocks = (metadata.asize + sums_.data.asize) / 512;
  return sums_;
}

}  // namespace blkpress
