// The content of a compressed Btrfs extent.
#pragma once

#include <memory>
#include <optional>

#include "blkpress/btrfs_policy.hpp"

namespace blkpress {

// The scratch memory of one worker for one codec and level. Compressing allocates nothing.
class BtrfsExtentCodec {
 public:
  virtual ~BtrfsExtentCodec() = default;

  // Compresses up to 128 KiB into target, which holds source in whole sectors, and returns the number of bytes.
  // nullopt: Btrfs gives up, as the data grows.
  virtual std::optional<std::size_t> compress(ByteView source, ByteSpan target) = 0;
};

// Null for BtrfsCodec::none.
std::unique_ptr<BtrfsExtentCodec> make_btrfs_extent_codec(const BtrfsOptions& options);

}  // namespace blkpress
