// The records that a cache of limited size holds, least recently used first out.
#pragma once

#include <cstdint>
#include <vector>

namespace blkpress::sim {

// Records are numbers from 0 on, below 2^32 - 1. Two links and a size for each: 12 bytes.
class LruRecords {
 public:
  explicit LruRecords(std::uint64_t capacity_bytes) : capacity_(capacity_bytes) {}

  // Makes the record the most recently used one, and calls evict(other) for each that has to go: never for the record
  // itself, even if it is larger than the cache.
  template <class Evict>
  void use(std::uint32_t record, std::uint32_t bytes, Evict evict) {
    remove(record);
    push(record, bytes);
    while (used_ > capacity_ && oldest_ != record) {
      const std::uint32_t gone = oldest_;
      remove(gone);
      evict(gone);
    }
  }

  [[nodiscard]] std::uint64_t used_bytes() const { return used_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Entry {
    std::uint32_t older = kNone;
    std::uint32_t newer = kNone;
    std::uint32_t bytes = 0;  // 0: not in the cache
  };
  void push(std::uint32_t record, std::uint32_t bytes);
  void remove(std::uint32_t record);

  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  std::uint32_t oldest_ = kNone;
  std::uint32_t newest_ = kNone;
  std::vector<Entry> entries_;
};

}  // namespace blkpress::sim
