#include "policy/btrfs_codec.hpp"

#include <zlib.h>

// Switching a match finder off is experimental in zstd.h, though libzstd.so exports it.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "blkpress/codec.hpp"
#include "policy/btrfs_layout.hpp"

namespace blkpress {
namespace {

// zlib wants mutable pointers, and does not write through this one.
Bytef* zlib_bytes(const std::byte* data) { return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(data)); }

// Linux, fs/btrfs/zlib.c: a zlib stream that gets its input and its output one page at a time, flushed after each page
// of input. When the page of output is full at that moment the next input comes before the flush could finish, so that
// its empty block is left out: the length depends on the pages of output.
class BtrfsZlib final : public BtrfsExtentCodec {
 public:
  explicit BtrfsZlib(int level) {
    constexpr int kWindowBits = 15;
    constexpr int kMemoryLevel = 8;  // DEF_MEM_LEVEL
    BLKPRESS_ASSERT(deflateInit2(&stream_, level, Z_DEFLATED, kWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~BtrfsZlib() override { deflateEnd(&stream_); }
  BtrfsZlib(const BtrfsZlib&) = delete;
  BtrfsZlib& operator=(const BtrfsZlib&) = delete;

  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    BLKPRESS_ASSERT(deflateReset(&stream_) == Z_OK);
    target_ = target;
    stream_.avail_in = 0;
    stream_.avail_out = 0;
    if (!next_page()) return std::nullopt;
    while (stream_.total_in < source.size()) {
      if (stream_.avail_in == 0) {
        const ByteView rest = source.subspan(stream_.total_in);
        stream_.next_in = zlib_bytes(rest.data());
        stream_.avail_in = static_cast<uInt>(std::min<std::size_t>(rest.size(), kBtrfsSector));
      }
      const int result = deflate(&stream_, Z_SYNC_FLUSH);
      BLKPRESS_ASSERT(result == Z_OK || result == Z_BUF_ERROR);
      if (stream_.total_in > 2 * kBtrfsSector && stream_.total_in < stream_.total_out) return std::nullopt;
      if (stream_.avail_out == 0 && !next_page()) return std::nullopt;
    }
    for (int result = Z_OK; result != Z_STREAM_END;) {
      result = deflate(&stream_, Z_FINISH);
      BLKPRESS_ASSERT(result != Z_STREAM_ERROR);
      if (result != Z_STREAM_END && stream_.avail_out == 0 && !next_page()) return std::nullopt;
    }
    if (stream_.total_out >= source.size()) return std::nullopt;
    return stream_.total_out;
  }

 private:
  bool next_page() {
    const std::size_t used = stream_.total_out;
    if (used >= target_.size()) return false;
    stream_.next_out = reinterpret_cast<Bytef*>(target_.data() + used);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(target_.size() - used, kBtrfsSector));
    return true;
  }

  z_stream stream_ = {};
  ByteSpan target_;
};

// Linux, fs/btrfs/lzo.c: the length of all, then for each sector its length and an LZO1X stream of its own. A length is
// never split by the end of a sector: up to three zeros stand before it. Nothing refuses a result that is longer than
// its source, as long as it fits into as many sectors.
class BtrfsLzo final : public BtrfsExtentCodec {
 public:
  BtrfsLzo() : codec_(compression_named("lzo").make_context()) {}

  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    std::size_t used = kLengthBytes;
    for (std::size_t at = 0; at < source.size(); at += kBtrfsSector) {
      const ByteView sector = source.subspan(at, std::min<std::size_t>(source.size() - at, kBtrfsSector));
      const auto length = codec_->compress(sector, segment_);
      BLKPRESS_ASSERT(length.has_value());
      if (used + kLengthBytes + *length > target.size()) return std::nullopt;
      store_le(target.data() + used, static_cast<std::uint32_t>(*length));
      used += kLengthBytes;
      std::memcpy(target.data() + used, segment_.data(), *length);
      used += *length;
      const std::size_t left = round_up(used, kBtrfsSector) - used;
      if (left < kLengthBytes) {
        std::memset(target.data() + used, 0, left);
        used += left;
      }
      const std::size_t done = at + sector.size();
      if (done > 2 * kBtrfsSector && done < used) return std::nullopt;
    }
    store_le(target.data(), static_cast<std::uint32_t>(used));
    return used;
  }

 private:
  static constexpr std::size_t kLengthBytes = 4;
  // More than a sector can become: LZO.FAQ of liblzo2.
  std::array<std::byte, kBtrfsSector + kBtrfsSector / 16 + 67> segment_ = {};
  std::unique_ptr<CodecContext> codec_;
};

// Linux, fs/btrfs/zstd.c: one frame with the content's size in its header.
class BtrfsZstd final : public BtrfsExtentCodec {
 public:
  explicit BtrfsZstd(int level) : context_(ZSTD_createCCtx()) {
    BLKPRESS_ASSERT(context_ != nullptr);
    set(ZSTD_c_compressionLevel, level);
    set(ZSTD_c_contentSizeFlag, 1);
    set(ZSTD_c_checksumFlag, 0);
    // The kernel is built without vector instructions, and then the row match finder of levels 5 to 12 is off.
    set(ZSTD_c_useRowMatchFinder, ZSTD_ps_disable);
  }

  // The window is limited to 128 KiB (ZSTD_BTRFS_MAX_WINDOWLOG), which no extent exceeds.
  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    const std::size_t size = ZSTD_compress2(context_.get(), target.data(), target.size(), source.data(), source.size());
    if (ZSTD_isError(size) || size >= source.size()) return std::nullopt;
    return size;
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  void set(ZSTD_cParameter parameter, int value) {
    BLKPRESS_ASSERT(!ZSTD_isError(ZSTD_CCtx_setParameter(context_.get(), parameter, value)));
  }
  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

}  // namespace

std::unique_ptr<BtrfsExtentCodec> make_btrfs_extent_codec(const BtrfsOptions& options) {
  switch (options.codec) {
    case BtrfsCodec::zlib:
      return std::make_unique<BtrfsZlib>(options.level);
    case BtrfsCodec::lzo:
      return std::make_unique<BtrfsLzo>();
    case BtrfsCodec::zstd:
      return std::make_unique<BtrfsZstd>(options.level);
    case BtrfsCodec::none:
      break;
  }
  return nullptr;
}

}  // namespace blkpress
