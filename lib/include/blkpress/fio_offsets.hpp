// Where a fio job reads and writes, I/O by I/O, exactly as fio of the same options and seeds.
//
// Threads: an object belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "blkpress/fio_options.hpp"

namespace blkpress {

struct FioIo {
  FioDirection direction = FioDirection::read;
  std::uint64_t offset = 0;  // bytes from the start of the file
  std::uint64_t length = 0;  // bytes, at least 1
  std::uint64_t lap = 0;     // how often the job has begun its file anew

  friend bool operator==(const FioIo&, const FioIo&) = default;
};

class FioOffsets {
 public:
  // options must pass check(). A random map takes one bit per block of the file.
  explicit FioOffsets(const FioIoOptions& options);
  FioOffsets(FioOffsets&&) noexcept;
  FioOffsets& operator=(FioOffsets&&) noexcept;
  ~FioOffsets();

  // The next I/O in issue order; nullopt when the job has issued all its bytes. A time_based job never ends.
  std::optional<FioIo> next();

  // Bytes that the job issues before it ends; the last I/O may go beyond. UINT64_MAX: time_based.
  [[nodiscard]] std::uint64_t total_bytes() const;

 private:
  class Walk;
  std::unique_ptr<Walk> walk_;
};

}  // namespace blkpress
