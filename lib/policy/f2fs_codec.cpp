#include "policy/f2fs_codec.hpp"

#include <lz4.h>
#include <lz4hc.h>

// Contexts from given parameters are experimental in zstd.h, though libzstd.so exports them.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "blkpress/codec.hpp"

namespace blkpress {
namespace {

const char* chars(ByteView bytes) { return reinterpret_cast<const char*>(bytes.data()); }
char* chars(ByteSpan bytes) { return reinterpret_cast<char*>(bytes.data()); }

std::optional<std::size_t> if_any(int size) {
  if (size <= 0) return std::nullopt;
  return static_cast<std::size_t>(size);
}

class F2fsLz4 final : public F2fsClusterCodec {
 public:
  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    // Acceleration 1 is LZ4_compress_default, which has no form that takes the caller's memory.
    return if_any(LZ4_compress_fast_extState(&state_, chars(source), chars(target), static_cast<int>(source.size()),
                                             static_cast<int>(target.size()), 1));
  }

 private:
  LZ4_stream_t state_;
};

class F2fsLz4hc final : public F2fsClusterCodec {
 public:
  explicit F2fsLz4hc(int level) : level_(level) {}

  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    return if_any(LZ4_compress_HC_extStateHC(&state_, chars(source), chars(target), static_cast<int>(source.size()),
                                             static_cast<int>(target.size()), level_));
  }

 private:
  int level_;
  LZ4_streamHC_t state_;
};

class F2fsLzo final : public F2fsClusterCodec {
 public:
  F2fsLzo() : codec_(compression_named("lzo").make_context()) {}

  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    return codec_->compress(source, target);
  }

 private:
  std::unique_ptr<CodecContext> codec_;
};

// Linux, fs/f2fs/compress.c:zstd_compress_pages: a stream whose length is not announced, with parameters for a cluster.
class F2fsZstd final : public F2fsClusterCodec {
 public:
  F2fsZstd(int level, std::size_t cluster_bytes) : context_(ZSTD_createCCtx()) {
    const std::unique_ptr<ZSTD_CCtx_params, Free> parameters(ZSTD_createCCtxParams());
    BLKPRESS_ASSERT(context_ != nullptr && parameters != nullptr);
    check(ZSTD_CCtxParams_init_advanced(parameters.get(), ZSTD_getParams(level, cluster_bytes, 0)));
    // The kernel is built without vector instructions, and then the row match finder of levels 5 to 12 is off.
    check(ZSTD_CCtxParams_setParameter(parameters.get(), ZSTD_c_useRowMatchFinder, ZSTD_ps_disable));
    check(ZSTD_CCtx_setParametersUsingCCtxParams(context_.get(), parameters.get()));
  }

  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    check(ZSTD_CCtx_reset(context_.get(), ZSTD_reset_session_only));
    ZSTD_inBuffer in = {source.data(), source.size(), 0};
    ZSTD_outBuffer out = {target.data(), target.size(), 0};
    // Ending with the first call would announce the length.
    check(ZSTD_compressStream2(context_.get(), &out, &in, ZSTD_e_continue));
    const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, ZSTD_e_end);
    check(left);
    if (left > 0 || in.pos < in.size) return std::nullopt;
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_CCtx_params* parameters) const { ZSTD_freeCCtxParams(parameters); }
  };
  static void check(std::size_t result) { BLKPRESS_ASSERT(!ZSTD_isError(result)); }
  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

}  // namespace

std::unique_ptr<F2fsClusterCodec> make_f2fs_cluster_codec(const F2fsOptions& options) {
  switch (options.codec) {
    case F2fsCodec::lz4hc:
      return std::make_unique<F2fsLz4hc>(options.level);
    case F2fsCodec::lzo:
      return std::make_unique<F2fsLzo>();
    case F2fsCodec::zstd:
      return std::make_unique<F2fsZstd>(options.level, options.cluster_bytes());
    case F2fsCodec::lz4:
      break;
  }
  return std::make_unique<F2fsLz4>();
}

}  // namespace blkpress
