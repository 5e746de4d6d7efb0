// gzip-1…9: a zlib stream (two bytes of header, adler32), not the format of the gzip command; no frame around it. The
// bytes are those of zlib's compress2(), which OpenZFS calls in user space (module/zfs/gzip.c).
#include <zlib.h>

#include <array>

#include "codec/registry.hpp"

namespace blkpress {
namespace {

// zlib takes no pointer to const, but does not write through next_in.
Bytef* input(ByteView bytes) { return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data())); }
Bytef* output(ByteSpan bytes) { return reinterpret_cast<Bytef*>(bytes.data()); }

class GzipContext final : public CodecContext {
 public:
  explicit GzipContext(int level) {
    // Only a lack of memory or another zlib than the headers' fails here, and neither leaves anything to do.
    BLKPRESS_ASSERT(deflateInit(&deflate_, level) == Z_OK);
    BLKPRESS_ASSERT(inflateInit(&inflate_) == Z_OK);
  }
  ~GzipContext() override {
    deflateEnd(&deflate_);
    inflateEnd(&inflate_);
  }
  // zlib's streams point back at their owner.
  GzipContext(const GzipContext&) = delete;
  GzipContext& operator=(const GzipContext&) = delete;

  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    if (target.empty()) return std::nullopt;
    deflateReset(&deflate_);
    deflate_.next_in = input(source);
    deflate_.avail_in = static_cast<uInt>(source.size());
    deflate_.next_out = output(target);
    deflate_.avail_out = static_cast<uInt>(target.size());
    if (deflate(&deflate_, Z_FINISH) != Z_STREAM_END) return std::nullopt;
    return deflate_.total_out;
  }

  Status decompress(ByteView source, ByteSpan target) override {
    std::byte nowhere{};  // zlib refuses a null target, also for an empty record
    inflateReset(&inflate_);
    inflate_.next_in = input(source);
    inflate_.avail_in = static_cast<uInt>(source.size());
    inflate_.next_out = output(target.empty() ? ByteSpan(&nowhere, 1) : target);
    inflate_.avail_out = static_cast<uInt>(target.size());
    const int result = inflate(&inflate_, Z_FINISH);
    if (result == Z_DATA_ERROR || result == Z_NEED_DICT) return corrupt_record("gzip", "its stream is damaged");
    if (result != Z_STREAM_END) return corrupt_record("gzip", "its stream is cut off or longer than the record");
    if (inflate_.total_out != target.size()) return corrupt_record("gzip", "its size is another");
    return ok();
  }

 private:
  z_stream deflate_{};
  z_stream inflate_{};
};

std::string version() { return zlibVersion(); }

constexpr std::array kLevels{1, 2, 3, 4, 5, 6, 7, 8, 9};

}  // namespace

CodecInfo gzip_codec() {
  return {
      .name = {},
      .description = "deflate in a zlib stream",
      .library = "zlib",
      .library_version = version,
      .levels = kLevels,
      .default_level = 6,  // OpenZFS, gzip = gzip-6
      .make_context = [](int level) -> std::unique_ptr<CodecContext> { return std::make_unique<GzipContext>(level); }};
}

}  // namespace blkpress
