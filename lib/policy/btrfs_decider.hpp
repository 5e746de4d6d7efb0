// The Decider of policy btrfs: what one unit would become if nothing before it mattered.
#pragma once

#include <memory>
#include <vector>

#include "policy/btrfs_codec.hpp"

namespace blkpress {

class BtrfsDecider final : public Decider {
 public:
  explicit BtrfsDecider(const BtrfsOptions& options);

  RecordFinding decide(ByteView bytes, std::uint32_t unit) override;
  [[nodiscard]] ByteView stored() const override { return stored_; }

 private:
  RecordOutcome compress(ByteView bytes, bool whole_file);
  RecordOutcome raw(ByteView bytes, bool whole_file, RecordReason reason);
  [[nodiscard]] bool fits_inline(std::size_t size) const;

  BtrfsOptions options_;
  std::unique_ptr<BtrfsExtentCodec> codec_;  // null when nothing is compressed
  std::vector<std::byte> compressed_;
  std::vector<std::byte> padded_;
  ByteView stored_;
};

}  // namespace blkpress
