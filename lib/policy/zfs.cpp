#include <fmt/format.h>

#include <algorithm>

#include "blkpress/zfs_policy.hpp"
#include "policy/registry.hpp"
#include "policy/zfs_account.hpp"
#include "policy/zfs_decider.hpp"

namespace blkpress {

PolicyInfo zfs_policy() {
  return {.name = {},
          .description = "OpenZFS 2.1 to 2.4, and pools of version 13 to 28: fixed records, lz4 metadata",
          .properties = "version, layout, compression, recordsize, volblocksize, ashift, vdev, copies, exact_reasons",
          .compression_property = "compression",
          .usual_compressions = "lz4,zstd-3",
          .make = [](std::span<const Property> properties) -> Result<std::unique_ptr<Policy>> {
            const auto options = ZfsOptions::parse(properties);
            if (!options) return options.error();
            auto policy = ZfsPolicy::make(*options);
            if (!policy) return policy.error();
            return std::unique_ptr<Policy>(std::move(policy).value());
          }};
}

Result<std::unique_ptr<ZfsPolicy>> ZfsPolicy::make(const ZfsOptions& options) {
  BLKPRESS_TRY(options.check());
  return std::unique_ptr<ZfsPolicy>(new ZfsPolicy(options));
}

// OpenZFS, module/zfs/zfs_vnops.c:zfs_write: a file that fits into one record has a block of its own size, in steps of
// 512.
std::uint32_t ZfsPolicy::unit_bytes(std::uint64_t object_bytes) const {
  if (options_.layout == ZfsLayout::file && object_bytes < options_.recordsize) {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(512, round_up(object_bytes, 512)));
  }
  return max_unit_bytes();
}

std::uint32_t ZfsPolicy::max_unit_bytes() const { return static_cast<std::uint32_t>(options_.recordsize); }

std::unique_ptr<Decider> ZfsPolicy::make_decider() const { return std::make_unique<ZfsDecider>(options_); }

std::unique_ptr<ObjectAccount> ZfsPolicy::make_account() const { return std::make_unique<ZfsAccount>(*this); }

EmptyDataset ZfsPolicy::empty_dataset() const {
  return options_.empty_dataset.value_or(zfs_empty_dataset(options_.version, options_.layout, options_.vdev));
}

std::vector<Property> ZfsPolicy::properties() const {
  const bool volume = options_.layout == ZfsLayout::volume;
  return {{"version", options_.version.to_string()},
          {"layout", volume ? "volume" : "file"},
          {"compression", to_string(options_.compression)},
          {volume ? "volblocksize" : "recordsize", fmt::format("{}", options_.recordsize)},
          {"ashift", fmt::format("{}", options_.vdev.ashift)},
          {"vdev", options_.vdev.to_string()},
          {"copies", fmt::format("{}", options_.copies)},
          {"exact_reasons", options_.exact_reasons ? "on" : "off"}};
}

}  // namespace blkpress
