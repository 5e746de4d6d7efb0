#include "codec/lz4_frame.hpp"

#include <lz4.h>

#include "codec/registry.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kHeaderSize = 4;  // the length of the block, big-endian

}  // namespace

std::optional<std::size_t> Lz4FrameContext::compress(ByteView source, ByteSpan target) {
  if (target.size() <= kHeaderSize) return std::nullopt;
  const std::optional<std::size_t> size = compress_block(source, target.subspan(kHeaderSize));
  if (!size) return std::nullopt;
  store_be(target.data(), static_cast<std::uint32_t>(*size));
  return *size + kHeaderSize;
}

Status Lz4FrameContext::decompress(ByteView source, ByteSpan target) {
  if (source.size() < kHeaderSize) return corrupt_record("lz4", "it is shorter than its header");
  const std::size_t size = load_be<std::uint32_t>(source.data());
  if (size > source.size() - kHeaderSize) return corrupt_record("lz4", "its header announces more than there is");
  std::byte nowhere{};  // liblz4 refuses a null target, also for an empty record
  std::byte* const to = target.empty() ? &nowhere : target.data();
  const int decoded =
      LZ4_decompress_safe(reinterpret_cast<const char*>(source.data() + kHeaderSize), reinterpret_cast<char*>(to),
                          static_cast<int>(size), static_cast<int>(target.size()));
  if (decoded < 0) return corrupt_record("lz4", "its block is damaged");
  if (static_cast<std::size_t>(decoded) != target.size()) return corrupt_record("lz4", "its size is another");
  return ok();
}

}  // namespace blkpress
