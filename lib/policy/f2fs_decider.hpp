// The Decider of policy f2fs: one cluster at a time, none of which depends on another.
#pragma once

#include <memory>
#include <vector>

#include "policy/f2fs_codec.hpp"

namespace blkpress {

class F2fsDecider final : public Decider {
 public:
  explicit F2fsDecider(const F2fsOptions& options);

  RecordFinding decide(ByteView bytes, std::uint32_t unit) override;
  [[nodiscard]] ByteView stored() const override { return stored_; }

 private:
  RecordOutcome raw(ByteView bytes, RecordReason reason);
  RecordOutcome compress(ByteView bytes);
  // The bytes with zeros behind them, up to a whole block.
  ByteView whole_blocks(ByteView bytes);

  F2fsOptions options_;
  std::unique_ptr<F2fsClusterCodec> codec_;  // null when nothing is compressed
  std::vector<std::byte> compressed_;
  std::vector<std::byte> padded_;
  ByteView stored_;
};

}  // namespace blkpress
