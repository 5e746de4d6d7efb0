#include <fmt/format.h>

#include "blkpress/btrfs_policy.hpp"
#include "policy/btrfs_account.hpp"
#include "policy/btrfs_decider.hpp"
#include "policy/btrfs_layout.hpp"
#include "policy/registry.hpp"

namespace blkpress {

PolicyInfo btrfs_policy() {
  return {.name = {},
          .description = "Btrfs of Linux 6.18: extents of 128 KiB, a heuristic, a sticky flag, inline files",
          .properties = kBtrfsPropertyNames,
          .compression_property = "compress",
          .usual_compressions = "lzo,zlib:3,zstd:3",
          .make = [](std::span<const Property> properties) -> Result<std::unique_ptr<Policy>> {
            const auto options = BtrfsOptions::parse(properties);
            if (!options) return options.error();
            auto policy = BtrfsPolicy::make(*options);
            if (!policy) return policy.error();
            return std::unique_ptr<Policy>(std::move(policy).value());
          }};
}

Result<std::unique_ptr<BtrfsPolicy>> BtrfsPolicy::make(const BtrfsOptions& options) {
  BLKPRESS_TRY(options.check());
  return std::unique_ptr<BtrfsPolicy>(new BtrfsPolicy(options));
}

std::uint32_t BtrfsPolicy::unit_bytes(std::uint64_t object_bytes) const {
  return object_bytes <= kBtrfsSector ? kBtrfsSector : kBtrfsExtent;
}

std::uint32_t BtrfsPolicy::max_unit_bytes() const { return kBtrfsExtent; }

std::unique_ptr<Decider> BtrfsPolicy::make_decider() const { return std::make_unique<BtrfsDecider>(options_); }

std::unique_ptr<ObjectAccount> BtrfsPolicy::make_account() const { return std::make_unique<BtrfsAccount>(*this); }

std::vector<Property> BtrfsPolicy::properties() const {
  return {{options_.force ? "compress-force" : "compress", options_.compression()},
          {"max_inline", fmt::format("{}", options_.max_inline)},
          {"nodatacow", options_.nodatacow ? "on" : "off"},
          {"fallocate", options_.fallocated ? "on" : "off"}};
}

}  // namespace blkpress
