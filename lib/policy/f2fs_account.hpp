// The ObjectAccount of policy f2fs: counts blocks of data, and the index blocks that point to them.
#pragma once

#include "blkpress/f2fs_policy.hpp"

namespace blkpress {

class F2fsAccount final : public ObjectAccount {
 public:
  explicit F2fsAccount(const F2fsPolicy& policy);

  void begin(std::uint64_t object_bytes) override;
  void add(const RecordFinding& finding) override;
  void add_holes(std::uint64_t records) override;
  ObjectSums finish() override;

 private:
  // Counts the index blocks on the way to blocks [first, end) of the file that are not counted yet.
  void index(std::uint64_t first, std::uint64_t end);

  F2fsPolicy policy_;
  std::uint64_t in_inode_;  // addresses that an inode holds
  std::uint64_t in_node_;   // addresses that an index block holds
  ObjectSums sums_;
  std::uint64_t unit_ = 0;
  std::uint64_t position_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t next_direct_ = 0;    // the first index block with addresses that is not counted yet
  std::uint64_t next_indirect_ = 0;  // likewise one level up
  bool has_double_ = false;
  bool last_allocated_ = false;
};

}  // namespace blkpress
