#include "blkpress/block_file.hpp"

namespace blkpress {

Status BlockFile::write_parts(std::uint64_t offset, std::span<const ByteView> parts) {
  if (parts.empty()) return ok();
  if (parts.size() == 1) return write(offset, parts.front());
  std::vector<std::byte> joined;
  for (const ByteView part : parts) joined.insert(joined.end(), part.begin(), part.end());
  return write(offset, joined);
}

void BlockFile::write_back_soon(std::uint64_t /*offset*/, std::uint64_t /*length*/) {}

}  // namespace blkpress
