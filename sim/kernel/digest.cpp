#include "blkpress/sim/digest.hpp"

namespace blkpress::sim {

std::string Digest::to_string() const {
  std::string text(16, '0');
  for (int i = 0; i < 16; ++i) text[static_cast<std::size_t>(i)] = "0123456789abcdef"[(state_ >> (60 - 4 * i)) & 15];
  return text;
}

}  // namespace blkpress::sim
