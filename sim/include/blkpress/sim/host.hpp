// Hosts: cores, and what a codec costs on them per byte.
//
// Costs come from tables that `blkpress calibrate` measured on the real codecs and that are checked in (data/hosts):
// the simulator never looks at a clock. A host has one speed factor relative to the machine that was measured. Threads:
// a HostModel is immutable after loading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/codec.hpp"
#include "blkpress/result.hpp"
#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

// What a codec's time depends on besides its level: a class of content, named as in the cost table
// ("urandom", "zeros", "fio-3.29", "text", "database", "bitmap").
struct CodecCost {
  Compression compression;
  std::string content;
  double compress_ns_per_byte;    // of input
  double decompress_ns_per_byte;  // of output
};

class HostModel {
 public:
  // Reads data/hosts/<file>.toml: cores, memory, speed, and the cost table that it names (relative to the file).
  static Result<HostModel> load(const std::string& path);

  [[nodiscard]] std::uint32_t cores() const { return cores_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  [[nodiscard]] double speed() const { return speed_; }

  // CPU time for one record of that content on this host. Errors: usage, when the table has no such row (it lists what
  // it has).
  [[nodiscard]] Result<Duration> compress_time(const Compression& compression, std::string_view content,
                                               std::uint64_t bytes) const;
  [[nodiscard]] Result<Duration> decompress_time(const Compression& compression, std::string_view content,
                                                 std::uint64_t bytes) const;

 private:
  std::uint32_t cores_ = 1;
  std::uint64_t memory_bytes_ = 0;
  double speed_ = 1;  // 2: twice as fast as the machine of the cost table
  std::vector<CodecCost> costs_;
};

}  // namespace blkpress::sim
