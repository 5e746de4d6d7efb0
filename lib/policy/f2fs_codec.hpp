// The stream inside a compressed F2FS cluster, behind its header.
#pragma once

#include <memory>
#include <optional>

#include "blkpress/f2fs_policy.hpp"

namespace blkpress {

// The scratch memory of one worker for one codec and level. Compressing allocates nothing after the first time.
class F2fsClusterCodec {
 public:
  virtual ~F2fsClusterCodec() = default;

  // Compresses a whole cluster into target and returns the number of bytes; nullopt: does not fit.
  virtual std::optional<std::size_t> compress(ByteView source, ByteSpan target) = 0;
};

std::unique_ptr<F2fsClusterCodec> make_f2fs_cluster_codec(const F2fsOptions& options);

}  // namespace blkpress
