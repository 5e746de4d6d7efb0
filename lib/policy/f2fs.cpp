#include <fmt/format.h>

#include "blkpress/f2fs_policy.hpp"
#include "policy/f2fs_account.hpp"
#include "policy/f2fs_decider.hpp"
#include "policy/f2fs_layout.hpp"
#include "policy/registry.hpp"

namespace blkpress {
namespace {

// Linux, include/linux/f2fs_fs.h: MAX_INLINE_DATA: 923 words, less 9 of extra attributes, 50 of extended attributes and
// one reserved.
constexpr std::uint64_t kInlineMax = 4 * (923 - 9 - 50 - 1);

}  // namespace

PolicyInfo f2fs_policy() {
  return {.name = {},
          .description = "F2FS: clusters of 16 KiB to 1 MiB; saved blocks stay reserved until they are released",
          .properties = kF2fsPropertyNames,
          .compression_property = "compress_algorithm",
          .usual_compressions = "lz4,zstd",
          .make = [](std::span<const Property> properties) -> Result<std::unique_ptr<Policy>> {
            const auto options = F2fsOptions::parse(properties);
            if (!options) return options.error();
            auto policy = F2fsPolicy::make(*options);
            if (!policy) return policy.error();
            return std::unique_ptr<Policy>(std::move(policy).value());
          }};
}

Result<std::unique_ptr<F2fsPolicy>> F2fsPolicy::make(const F2fsOptions& options) {
  BLKPRESS_TRY(options.check());
  return std::unique_ptr<F2fsPolicy>(new F2fsPolicy(options));
}

// Linux, fs/f2fs/inline.c:f2fs_may_inline_data: a file with the compression flag is never inline. sload.f2fs inlines
// before it looks at compression.
bool F2fsPolicy::is_inline(std::uint64_t object_bytes) const {
  return object_bytes <= kInlineMax && (options_.writer == F2fsWriter::sload || !options_.all_files);
}

std::uint32_t F2fsPolicy::unit_bytes(std::uint64_t object_bytes) const {
  return is_inline(object_bytes) ? kF2fsBlock : options_.cluster_bytes();
}

std::uint32_t F2fsPolicy::max_unit_bytes() const { return options_.cluster_bytes(); }

std::unique_ptr<Decider> F2fsPolicy::make_decider() const { return std::make_unique<F2fsDecider>(options_); }

std::unique_ptr<ObjectAccount> F2fsPolicy::make_account() const { return std::make_unique<F2fsAccount>(*this); }

std::vector<Property> F2fsPolicy::properties() const {
  return {{"compress_algorithm", options_.compression()},
          {"compress_log_size", fmt::format("{}", options_.cluster_log)},
          {"compress_extension", options_.all_files ? "*" : "none"},
          {"compress_mode", options_.user_mode ? "user" : "fs"},
          {"release", options_.release ? "on" : "off"},
          {"writer", options_.writer == F2fsWriter::sload ? "sload" : "kernel"},
          {"min_saved_blocks", fmt::format("{}", options_.min_saved_blocks)}};
}

}  // namespace blkpress
