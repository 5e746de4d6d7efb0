// What lz4 and lz4-lib share: OpenZFS's frame (module/zfs/lz4_zfs.c) around an LZ4 block, and its decoder. Each reads
// what the other wrote.
#pragma once

#include "blkpress/codec.hpp"

namespace blkpress {

class Lz4FrameContext : public CodecContext {
 public:
  std::optional<std::size_t> compress(ByteView source, ByteSpan target) final;
  Status decompress(ByteView source, ByteSpan target) final;

 private:
  // Writes one LZ4 block without any frame. nullopt: does not fit.
  virtual std::optional<std::size_t> compress_block(ByteView source, ByteSpan target) = 0;
};

}  // namespace blkpress
