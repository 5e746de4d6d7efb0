// FieldWriter and FieldReader: the values of the pool's trees, field after field, little endian.
//
// Threads: one at a time.
#pragma once

#include <string>
#include <string_view>

#include "pool/dataset_space.hpp"

namespace blkpress {

class FieldWriter {
 public:
  template <class T>
  FieldWriter& number(T value) {
    std::byte bytes[sizeof(T)];
    store_le(bytes, value);
    text_.append(reinterpret_cast<const char*>(bytes), sizeof(T));
    return *this;
  }
  FieldWriter& pointer(const BlockPointer& pointer) {
    std::byte bytes[BlockPointer::kBytes];
    pointer.encode(bytes);
    text_.append(reinterpret_cast<const char*>(bytes), sizeof(bytes));
    return *this;
  }
  FieldWriter& space(const DatasetSpace& space) {
    return number(space.data).number(space.compressed).number(space.logical).number(space.metadata).number(space.nodes);
  }
  // Takes all the rest.
  FieldWriter& rest(std::string_view text) {
    text_ += text;
    return *this;
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : text_(text) {}

  template <class T>
  FieldReader& number(T& value) {
    if (take(sizeof(T))) value = load_le<T>(reinterpret_cast<const std::byte*>(taken_.data()));
    return *this;
  }
  FieldReader& pointer(BlockPointer& pointer) {
    if (!take(BlockPointer::kBytes)) return *this;
    const auto decoded = BlockPointer::decode(as_bytes(taken_.data(), taken_.size()));
    good_ = decoded.has_value();
    if (decoded) pointer = *decoded;
    return *this;
  }
  FieldReader& space(DatasetSpace& space) {
    return number(space.data).number(space.compressed).number(space.logical).number(space.metadata).number(space.nodes);
  }
  FieldReader& bytes(std::size_t count, std::string_view& text) {
    if (take(count)) text = taken_;
    return *this;
  }
  std::string_view rest() { return std::exchange(text_, {}); }
  // All fields were there.
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return good_ && text_.empty(); }

 private:
  bool take(std::size_t count) {
    good_ = good_ && text_.size() >= count;
    if (!good_) return false;
    taken_ = text_.substr(0, count);
    text_.remove_prefix(count);
    return true;
  }

  std::string_view text_, taken_;
  bool good_ = true;
};

// Keys are ordered as bytes, so numbers in them are big endian.
inline std::string key_number(std::uint64_t value) {
  std::byte bytes[8];
  store_be(bytes, value);
  return {reinterpret_cast<const char*>(bytes), sizeof(bytes)};
}
// key: at least at + 8 bytes.
inline std::uint64_t key_number_at(std::string_view key, std::size_t at) {
  return load_be<std::uint64_t>(reinterpret_cast<const std::byte*>(key.data()) + at);
}

}  // namespace blkpress
