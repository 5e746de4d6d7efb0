// lzo: one LZO1X stream as liblzo2 makes it, without a frame; its end marker tells where it ends. OpenZFS has no such
// codec. Btrfs and F2FS put their own headers around streams of one page or one cluster; that is their policies'
// business.
#if BLKPRESS_WITH_LZO

#include <lzo/lzo1x.h>

#include <algorithm>

#include "codec/registry.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kLargestRecord = std::size_t{16} << 20;

// The most that size bytes can become (LZO.FAQ of liblzo2: in + in/16 + 64 + 3).
constexpr std::size_t worst_case(std::size_t size) { return size + size / 16 + 64 + 3; }

const lzo_bytep bytes(const std::byte* data) { return reinterpret_cast<const lzo_bytep>(data); }
lzo_bytep bytes(std::byte* data) { return reinterpret_cast<lzo_bytep>(data); }

class LzoContext final : public CodecContext {
 public:
  LzoContext() { BLKPRESS_ASSERT(lzo_init() == LZO_E_OK); }

  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    BLKPRESS_ASSERT(source.size() <= kLargestRecord);
    // liblzo2's compressors know no capacity, so a small target is filled from the scratch memory.
    const bool fits_always = target.size() >= worst_case(source.size());
    std::byte* const out = fits_always ? target.data() : scratch_.get();
    lzo_uint size = 0;
    // The variant with the 15-bit dictionary: Btrfs and sload.f2fs store records of its lengths, not of lzo1x_1's.
    if (lzo1x_1_15_compress(bytes(source.data()), source.size(), bytes(out), &size, dictionary_.get()) != LZO_E_OK) {
      return std::nullopt;
    }
    if (fits_always) return size;
    if (size > target.size()) return std::nullopt;
    std::copy_n(out, size, target.data());
    return size;
  }

  Status decompress(ByteView source, ByteSpan target) override {
    lzo_uint size = target.size();
    const int result = lzo1x_decompress_safe(bytes(source.data()), source.size(), bytes(target.data()), &size, nullptr);
    // Padding may follow the end marker.
    if (result != LZO_E_OK && result != LZO_E_INPUT_NOT_CONSUMED) return corrupt_record("lzo", "its stream is damaged");
    if (size != target.size()) return corrupt_record("lzo", "its size is another");
    return ok();
  }

 private:
  // Left uninitialised: untouched pages of the scratch memory cost nothing, and liblzo2 clears its dictionary itself.
  std::unique_ptr<std::byte[]> dictionary_ = std::make_unique_for_overwrite<std::byte[]>(LZO1X_1_15_MEM_COMPRESS);
  std::unique_ptr<std::byte[]> scratch_ = std::make_unique_for_overwrite<std::byte[]>(worst_case(kLargestRecord));
};

std::string version() { return lzo_version_string(); }

}  // namespace

CodecInfo lzo_codec() {
  return {.name = {},
          .description = "LZO1X-1(15), as Btrfs and F2FS use it; under the GPL",
          .library = "liblzo2",
          .library_version = version,
          .levels = {},
          .default_level = 0,
          .make_context = make_context_without_level<LzoContext>};
}

}  // namespace blkpress

#endif
