// The Decider of policy zfs, for callers within the library also without the checksums in its findings.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "blkpress/zfs_policy.hpp"

namespace blkpress {

class ZfsDecider final : public Decider {
 public:
  explicit ZfsDecider(const ZfsOptions& options, bool checksums = true);

  RecordFinding decide(ByteView bytes, std::uint32_t unit) override;
  [[nodiscard]] ByteView stored() const override { return stored_; }

 private:
  // The record with the zeros behind its last byte.
  ByteView whole_record(ByteView bytes, std::uint32_t unit);
  RecordOutcome compress(ByteView record);
  bool aborts_early(ByteView record);
  RecordReason exact_reason(ByteView record);
  ByteSpan scratch(std::size_t size);

  ZfsRules rules_;
  bool checksums_;
  std::unique_ptr<CodecContext> codec_;
  std::unique_ptr<CodecContext> early_lz4_;   // set only for a compression that early abort applies to
  std::unique_ptr<CodecContext> early_zstd_;  // likewise
  std::vector<std::byte> padded_;
  std::vector<std::byte> compressed_;
  ByteView stored_;
};

}  // namespace blkpress
