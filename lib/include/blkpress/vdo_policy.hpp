// Policy vdo: what dm-vdo stores of a volume: blocks of 4 KiB, LZ4, up to fourteen fragments in one physical block.
//
// The rules are those of the documentation; no real VDO was at hand to measure (docs/policies.md). Deduplication is not
// counted. Use it through policy.hpp, or directly when the options are known at compile time. Threads: as in
// policy.hpp; VdoOptions is a value.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "blkpress/policy.hpp"

namespace blkpress {

struct VdoOptions {
  bool compresses = true;   // compression=lz4; off: only blocks of zeros are saved
  std::uint32_t bins = 16;  // physical blocks that are being filled at a time, 1 to 1024: how far apart fragments that
                            // share a block may be

  // From properties: compression (lz4, off), bins. Errors: usage.
  static Result<VdoOptions> parse(std::span<const Property> properties);
};

// Units are blocks. In the sums data.psize and data.asize are the physical blocks; there is no metadata: the block
// map is not counted.
class VdoPolicy final : public Policy {
 public:
  explicit VdoPolicy(const VdoOptions& options) : options_(options) {}

  [[nodiscard]] std::uint32_t unit_bytes(std::uint64_t object_bytes) const override;
  [[nodiscard]] std::uint32_t max_unit_bytes() const override;
  [[nodiscard]] std::unique_ptr<Decider> make_decider() const override;
  [[nodiscard]] std::unique_ptr<ObjectAccount> make_account() const override;
  [[nodiscard]] EmptyDataset empty_dataset() const override { return {}; }
  [[nodiscard]] std::vector<Property> properties() const override;

 private:
  VdoOptions options_;
};

}  // namespace blkpress
