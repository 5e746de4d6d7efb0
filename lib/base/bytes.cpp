#include "blkpress/bytes.hpp"

namespace blkpress {

bool all_zero(ByteView bytes) {
  // Data that is not zero mostly says so in its first word; the rest is compared with itself, one word later, which the
  // library does with the widest loads that the machine has.
  if (bytes.empty()) return true;
  if (bytes[0] != std::byte{0}) return false;
  return std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace blkpress
