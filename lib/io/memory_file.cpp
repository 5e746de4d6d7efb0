#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "blkpress/block_file.hpp"

namespace blkpress {
namespace {

class MemoryFile final : public BlockFile {
 public:
  explicit MemoryFile(std::uint64_t capacity) : capacity_(capacity) {}

  Result<std::uint64_t> size() override {
    const std::shared_lock lock(mutex_);
    return static_cast<std::uint64_t>(bytes_.size());
  }

  Result<std::size_t> read(std::uint64_t offset, ByteSpan target) override {
    const std::shared_lock lock(mutex_);
    if (offset >= bytes_.size()) return std::size_t{0};
    const std::size_t count = std::min<std::size_t>(target.size(), bytes_.size() - offset);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), count, target.begin());
    return count;
  }

  Status write(std::uint64_t offset, ByteView source) override {
    const std::unique_lock lock(mutex_);
    if (offset > capacity_ || source.size() > capacity_ - offset) return full();
    if (offset + source.size() > bytes_.size()) bytes_.resize(offset + source.size());
    std::copy(source.begin(), source.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    return ok();
  }

  Status flush() override { return ok(); }

  Status resize(std::uint64_t size) override {
    const std::unique_lock lock(mutex_);
    if (size > capacity_) return full();
    bytes_.resize(size);
    return ok();
  }

  Result<std::optional<DataRange>> next_data(std::uint64_t offset) override {
    const std::shared_lock lock(mutex_);
    if (offset >= bytes_.size()) return std::optional<DataRange>();
    return std::optional<DataRange>({offset, bytes_.size()});
  }

 private:
  static Error full() { return {ErrorKind::no_space, "memory file is full"}; }

  std::shared_mutex mutex_;
  std::vector<std::byte> bytes_;
  std::uint64_t capacity_;
};

}  // namespace

std::unique_ptr<BlockFile> make_memory_file(std::uint64_t capacity) { return std::make_unique<MemoryFile>(capacity); }

}  // namespace blkpress
