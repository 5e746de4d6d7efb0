// RecordBytes: what is in a record. Unlike a vector's, new bytes are left as they are when something is to be written
// over them at once, which takes as long as reading them.
//
// Threads: a value.
#pragma once

#include <algorithm>
#include <memory>

#include "blkpress/bytes.hpp"

namespace blkpress {

class RecordBytes {
 public:
  RecordBytes() = default;
  // Anything is in them.
  explicit RecordBytes(std::size_t size) : data_(new std::byte[size]), size_(size), capacity_(size) {}
  explicit RecordBytes(ByteView bytes) : RecordBytes(bytes.size()) {
    if (!bytes.empty()) std::memcpy(data_.get(), bytes.data(), bytes.size());
  }

  [[nodiscard]] std::byte* data() { return data_.get(); }
  [[nodiscard]] const std::byte* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  std::byte* begin() { return data_.get(); }
  std::byte* end() { return data_.get() + size_; }
  [[nodiscard]] const std::byte* begin() const { return data_.get(); }
  [[nodiscard]] const std::byte* end() const { return data_.get() + size_; }

  // Longer by bytes that can be anything, or shorter.
  void set_size(std::size_t size) {
    if (size > capacity_) {
      // As a vector: what grows in small steps is not copied at each.
      RecordBytes larger(std::max(size, size_ == 0 ? size : 2 * capacity_));
      if (size_ > 0) std::memcpy(larger.data_.get(), data_.get(), size_);
      std::swap(data_, larger.data_);
      capacity_ = larger.capacity_;
    }
    size_ = size;
  }
  // Longer by zeros, or shorter.
  void resize(std::size_t size) {
    const std::size_t before = size_;
    set_size(size);
    if (size > before) std::memset(data_.get() + before, 0, size - before);
  }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace blkpress
