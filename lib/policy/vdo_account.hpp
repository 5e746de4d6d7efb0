// The ObjectAccount of policy vdo: fragments share physical blocks with those that come shortly before or after.
#pragma once

#include "blkpress/vdo_policy.hpp"
#include "policy/vdo_packer.hpp"

namespace blkpress {

class VdoAccount final : public ObjectAccount {
 public:
  explicit VdoAccount(const VdoOptions& options) : options_(options), packer_(options.bins) {}

  void begin(std::uint64_t object_bytes) override;
  void add(const RecordFinding& finding) override;
  void add_holes(std::uint64_t records) override;
  ObjectSums finish() override;

 private:
  void write(const VdoPacker::Written& group);
  [[nodiscard]] std::uint64_t rest() const;

  VdoOptions options_;
  VdoPacker packer_;
  ObjectSums sums_;
  std::uint64_t blocks_ = 0;  // added so far
  bool last_allocated_ = false;
};

}  // namespace blkpress
