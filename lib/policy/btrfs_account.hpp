// The ObjectAccount of policy btrfs: ranges, chunks and the sticky flag, in file order.
#pragma once

#include "blkpress/btrfs_policy.hpp"

namespace blkpress {

class BtrfsAccount final : public ObjectAccount {
 public:
  explicit BtrfsAccount(const BtrfsPolicy& policy) : policy_(policy) {}

  void begin(std::uint64_t object_bytes) override;
  void add(const RecordFinding& finding) override;
  void add_holes(std::uint64_t records) override;
  ObjectSums finish() override;

  // Whether a unit of this object that did not shrink has set the inode's flag NOCOMPRESS. That an inline extent set it
  // is not seen here.
  [[nodiscard]] bool nocompress() const { return nocompress_; }

 private:
  void start_range(const RecordOutcome& outcome);
  // Whether the unit at position_ is kept compressed, given that it could be.
  bool takes_compressed(const RecordOutcome& outcome);
  void sum_up(const RecordOutcome& outcome, bool new_extent);

  BtrfsPolicy policy_;
  ObjectSums sums_;
  std::uint64_t unit_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t range_start_ = 0;
  bool in_range_ = false;
  bool range_plain_ = false;  // all of the range is written plain
  bool chunk_plain_ = false;  // the rest of the chunk is
  bool extent_open_ = false;  // the last plain extent goes on
  bool nocompress_ = false;
  bool last_allocated_ = false;
};

}  // namespace blkpress
