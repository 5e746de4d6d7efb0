// ImageFile: a BlockFile on bytes of the test's own, which it can look at, damage and put back.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "blkpress/block_file.hpp"
#include "pool/block_store.hpp"

namespace blkpress::test {

using Image = std::vector<std::byte>;
// What was there before each write, oldest first.
using Undo = std::vector<std::pair<std::uint64_t, std::vector<std::byte>>>;

inline void overwrite(Image& image, std::uint64_t offset, ByteView bytes, Undo* undo) {
  const auto at = image.begin() + static_cast<std::ptrdiff_t>(offset);
  if (undo != nullptr)
    undo->emplace_back(offset, std::vector<std::byte>(at, at + static_cast<std::ptrdiff_t>(bytes.size())));
  std::copy(bytes.begin(), bytes.end(), at);
}

inline void put_back(Image& image, Undo& undo) {
  for (; !undo.empty(); undo.pop_back()) overwrite(image, undo.back().first, undo.back().second, nullptr);
}

class ImageFile final : public BlockFile {
 public:
  explicit ImageFile(Image& image, Undo* undo = nullptr) : image_(image), undo_(undo) {}

  Result<std::uint64_t> size() override { return static_cast<std::uint64_t>(image_.size()); }
  Result<std::size_t> read(std::uint64_t offset, ByteSpan target) override {
    const std::lock_guard lock(mutex_);
    if (offset >= image_.size()) return std::size_t{0};
    const std::size_t count = std::min<std::size_t>(target.size(), image_.size() - offset);
    std::copy_n(image_.begin() + static_cast<std::ptrdiff_t>(offset), count, target.begin());
    return count;
  }
  Status write(std::uint64_t offset, ByteView source) override {
    const std::lock_guard lock(mutex_);
    if (offset + source.size() > image_.size()) return Error{ErrorKind::no_space, "beyond the image"};
    overwrite(image_, offset, source, undo_);
    return ok();
  }
  Status flush() override { return ok(); }
  Status resize(std::uint64_t size) override {
    image_.resize(size);
    return ok();
  }
  Result<std::optional<DataRange>> next_data(std::uint64_t) override { return std::optional<DataRange>(); }

 private:
  Image& image_;
  Undo* undo_;
  std::mutex mutex_;
};

// 8 MiB in regions of 1 MiB.
inline BlockStoreOptions small_store(unsigned ashift) {
  return {.geometry = {.size = 8 * kMiB, .ashift = ashift, .region_bytes = kMiB}, .guid = 7, .creation_s = 1};
}

}  // namespace blkpress::test
