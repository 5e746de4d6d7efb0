// The ObjectAccount of policy zfs: builds the object's indirect blocks for real, one per level in memory.
#pragma once

#include <memory>
#include <vector>

#include "blkpress/zfs_policy.hpp"
#include "policy/zfs_pointer.hpp"

namespace blkpress {

class ZfsAccount final : public ObjectAccount {
 public:
  explicit ZfsAccount(const ZfsPolicy& policy);

  void begin(std::uint64_t object_bytes) override;
  void add(const RecordFinding& finding) override;
  void add_holes(std::uint64_t records) override;
  ObjectSums finish() override;

 private:
  // The indirect block of one level that is being filled.
  struct Indirect {
    std::vector<std::byte> pointers;
    std::size_t used = 0;    // slots
    std::uint64_t fill = 0;  // blocks of data below; 0: all holes
  };

  int levels_for(std::uint64_t records) const;
  // Where the next pointer of a block of that level goes: a slot of the indirect block above; null: into the dnode.
  std::byte* next_slot(int level);
  void slot_filled(int level, std::uint64_t fill);
  void skip_slots(int level, std::uint64_t count);
  void write_indirect(int level);
  void sum_up(const RecordOutcome& outcome);
  void sum_allocation(std::uint32_t psize, int copies, BlockSums& sums) const;

  ZfsPolicy policy_;
  ZfsRules metadata_rules_;
  std::unique_ptr<CodecContext> metadata_codec_;
  std::uint32_t indirect_bytes_;
  std::vector<std::byte> compressed_;
  std::vector<Indirect> indirects_;  // [0] is level 1

  ObjectSums sums_;
  std::uint64_t records_ = 0;  // of the object
  std::uint64_t added_ = 0;
  bool last_allocated_ = false;  // the last record added is not a hole
  std::uint64_t next_offset_ = 0;
};

}  // namespace blkpress
