// Hosts: cores, memory, and what a codec costs on them per byte.
//
// Costs come from tables that `blkpress calibrate` measured on the real codecs and that are checked in (data/hosts):
// the simulator never looks at a clock. A host has one speed factor relative to the machine that was measured, given as
// a number or by one known time of one codec. Threads: a HostModel is immutable after loading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blkpress/codec.hpp"
#include "blkpress/result.hpp"
#include "blkpress/sim/time.hpp"

namespace blkpress::sim {

// What a codec's time depends on besides its level: a class of content, named as in the cost table ("urandom", "zeros",
// "fio-3.29", "text", "database", "bitmap"). fio's buffers are not random to a codec: never take their cost from
// "urandom".
struct CodecCost {
  Compression compression;
  std::string content;
  double compress_ns_per_byte;    // of input, on the machine that was measured
  double decompress_ns_per_byte;  // of output
};

// The table, as measured.
struct CodecCostTable {
  std::string machine;                 // "AMD EPYC …"
  std::uint64_t record_bytes = 0;      // of the records that were measured
  std::uint64_t repetitions = 0;       // of which the minimum was taken
  std::vector<std::string> libraries;  // "zlib 1.2.13"
  std::vector<CodecCost> costs;

  // The row, or null.
  [[nodiscard]] const CodecCost* find(const Compression& compression, std::string_view content) const;
};

// Reads or writes a cost table (TOML). Rows of codecs that this build lacks are left out. A cost is 0 to 100000 ns a
// byte. Errors: io; usage, with file and line.
Result<CodecCostTable> load_codec_costs(const std::string& path);
std::string to_toml(const CodecCostTable& table);

// One value of a host file, in the words of the command line: {"cores", "4"}.
using HostSetting = std::pair<std::string, std::string>;

class HostModel {
 public:
  // Reads data/hosts/<file>.toml: name, cores (1 to 4096), memory_mib (1 to 1e9), speed (0.001 to 1000), and costs, the
  // cost table's name relative to the file. `set` stands in place of what the file says. Errors: io; usage, with file
  // and line: a field that is unknown (with those that are known), missing or out of its range.
  static Result<HostModel> load(const std::string& path, const std::vector<HostSetting>& set = {});

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint32_t cores() const { return cores_; }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  [[nodiscard]] double speed() const { return speed_; }  // 0.5: half as fast as the machine of the table
  [[nodiscard]] const CodecCostTable& costs() const { return table_; }

  // CPU time for one record of that content on this host. Errors: usage, when the table has no such row (it lists what
  // it has for the codec).
  [[nodiscard]] Result<Duration> compress_time(const Compression& compression, std::string_view content,
                                               std::uint64_t bytes) const;
  [[nodiscard]] Result<Duration> decompress_time(const Compression& compression, std::string_view content,
                                                 std::uint64_t bytes) const;

 private:
  [[nodiscard]] Result<const CodecCost*> row(const Compression& compression, std::string_view content) const;

  std::string name_;
  std::uint32_t cores_ = 1;
  std::uint64_t memory_bytes_ = 0;
  double speed_ = 1;
  CodecCostTable table_;
};

}  // namespace blkpress::sim
