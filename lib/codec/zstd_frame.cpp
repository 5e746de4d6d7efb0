#include "codec/zstd_frame.hpp"

// The format without magic number is experimental in zstd.h, though libzstd.so has exported it since 1.4.0.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "codec/registry.hpp"

namespace blkpress {
namespace {

// Two big-endian words: the length of the frame; the level in the top byte and libzstd's version number below it.
constexpr std::size_t kHeaderSize = 8;

struct FreeContexts {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdContext final : public CodecContext {
 public:
  ZstdContext(int level, std::uint8_t level_in_header)
      : second_word_(std::uint32_t{level_in_header} << 24 | (ZSTD_versionNumber() & 0xffffff)),
        compressor_(ZSTD_createCCtx()),
        decompressor_(ZSTD_createDCtx()) {
    BLKPRESS_ASSERT(compressor_ && decompressor_);
    set(ZSTD_c_compressionLevel, level);
    set(ZSTD_c_checksumFlag, 0);
    set(ZSTD_c_contentSizeFlag, 0);
    set(ZSTD_c_format, ZSTD_f_zstd1_magicless);
    BLKPRESS_ASSERT(!ZSTD_isError(ZSTD_DCtx_setParameter(decompressor_.get(), ZSTD_d_format, ZSTD_f_zstd1_magicless)));
  }

  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    if (target.size() <= kHeaderSize) return std::nullopt;
    const std::size_t size = ZSTD_compress2(compressor_.get(), target.data() + kHeaderSize, target.size() - kHeaderSize,
                                            source.data(), source.size());
    if (ZSTD_isError(size)) {
      // Anything else would be a lack of memory: a record stored raw in its place would be a different result each
      // time.
      BLKPRESS_ASSERT(ZSTD_getErrorCode(size) == ZSTD_error_dstSize_tooSmall);
      return std::nullopt;
    }
    store_be(target.data(), static_cast<std::uint32_t>(size));
    store_be(target.data() + 4, second_word_);
    return size + kHeaderSize;
  }

  Status decompress(ByteView source, ByteSpan target) override {
    if (source.size() < kHeaderSize) return corrupt_record("zstd", "it is shorter than its header");
    const std::size_t size = load_be<std::uint32_t>(source.data());
    if (size > source.size() - kHeaderSize) return corrupt_record("zstd", "its header announces more than there is");
    const std::size_t decoded =
        ZSTD_decompressDCtx(decompressor_.get(), target.data(), target.size(), source.data() + kHeaderSize, size);
    if (ZSTD_isError(decoded)) return corrupt_record("zstd", ZSTD_getErrorName(decoded));
    if (decoded != target.size()) return corrupt_record("zstd", "its size is another");
    return ok();
  }

 private:
  void set(ZSTD_cParameter parameter, int value) {
    BLKPRESS_ASSERT(!ZSTD_isError(ZSTD_CCtx_setParameter(compressor_.get(), parameter, value)));
  }

  const std::uint32_t second_word_;
  std::unique_ptr<ZSTD_CCtx, FreeContexts> compressor_;
  std::unique_ptr<ZSTD_DCtx, FreeContexts> decompressor_;
};

}  // namespace

std::unique_ptr<CodecContext> make_zstd_context(int level, std::uint8_t level_in_header) {
  return std::make_unique<ZstdContext>(level, level_in_header);
}

std::string zstd_library_version() { return ZSTD_versionString(); }

}  // namespace blkpress
