// Records of the content classes that codecs are timed on.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "blkpress/bytes.hpp"

namespace blkpress::tool {

inline constexpr std::size_t kSampleRecordBytes = 131072;  // but for vm-image: the 8 KiB of a volume's blocks

struct ContentSample {
  std::string_view name;  // as in the cost table
  std::vector<std::byte> bytes;
  std::size_t record_bytes = kSampleRecordBytes;

  [[nodiscard]] std::size_t records() const { return bytes.size() / record_bytes; }
  [[nodiscard]] ByteView record(std::size_t i) const { return ByteView(bytes).subspan(i * record_bytes, record_bytes); }
};

// Every class, with that many records each; the same bytes on every machine.
std::vector<ContentSample> content_samples(std::size_t records);

}  // namespace blkpress::tool
