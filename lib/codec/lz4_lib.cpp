// lz4-lib: LZ4 as liblz4 compresses by default, in the same frame as lz4.
#include <lz4.h>

#include <cstddef>

#include "codec/lz4_frame.hpp"
#include "codec/registry.hpp"

namespace blkpress {
namespace {

class Lz4LibContext final : public Lz4FrameContext {
  std::optional<std::size_t> compress_block(ByteView source, ByteSpan target) override {
    // Acceleration 1 is LZ4_compress_default, which has no form that takes the caller's memory.
    const int size = LZ4_compress_fast_extState(&state_, reinterpret_cast<const char*>(source.data()),
                                                reinterpret_cast<char*>(target.data()), static_cast<int>(source.size()),
                                                static_cast<int>(target.size()), 1);
    if (size <= 0) return std::nullopt;
    return static_cast<std::size_t>(size);
  }

  LZ4_stream_t state_;
};

std::string version() { return LZ4_versionString(); }

}  // namespace

CodecInfo lz4_lib_codec() {
  return {.name = {},
          .description = "LZ4 as liblz4 compresses by default; a few percent off OpenZFS's lengths",
          .library = "liblz4",
          .library_version = version,
          .levels = {},
          .default_level = 0,
          .make_context = make_context_without_level<Lz4LibContext>};
}

}  // namespace blkpress
