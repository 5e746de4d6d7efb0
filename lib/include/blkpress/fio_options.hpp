// The options of a fio job that decide which bytes it writes, and where. sim/fio_job.hpp parses them; the rules are in
// docs/content.md.
//
// Threads: values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "blkpress/bytes.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

enum class FioDirection : std::uint8_t { read = 0, write = 1 };

template <class T>
using PerDirection = std::array<T, 2>;  // indexed by FioDirection

// How fio turns a seed into a buffer; it changed twice.
enum class FioFill : std::uint8_t { up_to_3_30, of_3_31, since_3_32 };

// The generator of fio 3.<minor>, or of the older 2.x for minor = 0.
constexpr FioFill fio_fill_of_3(int minor) {
  return minor <= 30 ? FioFill::up_to_3_30 : minor == 31 ? FioFill::of_3_31 : FioFill::since_3_32;
}

struct FioSplit {  // one entry of bssplit=
  std::uint64_t size = 0;
  std::optional<std::uint32_t> percent;  // empty: shares what the others leave

  friend bool operator==(const FioSplit&, const FioSplit&) = default;
};

// Sizes of the I/Os of one direction, in bytes. min <= max.
struct FioBlockSizes {
  std::uint64_t min = 4096;
  std::uint64_t max = 4096;
  std::vector<FioSplit> split;  // bssplit, as given; empty: uniform from min to max

  friend bool operator==(const FioBlockSizes&, const FioBlockSizes&) = default;
};

struct FioUniform {
  friend bool operator==(FioUniform, FioUniform) = default;
};
struct FioZipf {
  double theta = 1.1;
  std::optional<double> centre;  // 0…1 of the file
  friend bool operator==(const FioZipf&, const FioZipf&) = default;
};
struct FioPareto {
  double power = 0.2;
  std::optional<double> centre;
  friend bool operator==(const FioPareto&, const FioPareto&) = default;
};
struct FioNormal {
  double deviation_percent = 0;
  std::optional<double> centre;
  friend bool operator==(const FioNormal&, const FioNormal&) = default;
};
struct FioZones {
  struct Zone {
    std::uint32_t access_percent = 0;
    std::uint32_t size_percent = 0;
    friend bool operator==(const Zone&, const Zone&) = default;
  };
  std::vector<Zone> zones;  // accesses and sizes each add up to 100
  friend bool operator==(const FioZones&, const FioZones&) = default;
};
using FioDistribution = std::variant<FioUniform, FioZipf, FioPareto, FioNormal, FioZones>;

enum class FioGenerator : std::uint8_t { tausworthe, tausworthe64, lfsr };  // random_generator=

// Where the I/Os go. Sizes and offsets in bytes.
struct FioAccess {
  bool random = false;
  bool reads = true;
  bool writes = false;
  std::uint64_t sequence = 0;  // rw=randX:N: N; rw=X:bytes: the gap between I/Os; 0: none
  PerDirection<FioBlockSizes> block_sizes;
  PerDirection<std::optional<std::uint64_t>> block_align;  // ba; unset: the smallest block
  bool bs_unaligned = false;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint64_t io_size = 0;  // 0: size
  std::uint64_t loops = 1;
  std::uint64_t number_ios = 0;  // 0: no limit
  bool time_based = false;       // never ends by itself
  bool norandommap = false;
  FioGenerator generator = FioGenerator::tausworthe;
  FioDistribution distribution;
  PerDirection<std::uint32_t> percentage_random = {100, 100};
  std::uint32_t rwmixread = 50;
  std::string file_name;  // as fio would open it; seeds zipf, pareto and normal when randseed is not given

  friend bool operator==(const FioAccess&, const FioAccess&) = default;
};

enum class FioDedupeMode : std::uint8_t { repeat, working_set };

// What the writes hold.
struct FioContent {
  FioFill fill = FioFill::since_3_32;
  std::optional<bool> refill_buffers;    // unset: as the other options imply
  std::optional<bool> scramble_buffers;  // unset: as the other options imply
  bool zero_buffers = false;
  std::vector<std::byte> pattern;  // buffer_pattern in the order written; empty: none
  std::uint32_t compress_percentage = 0;
  std::uint64_t compress_chunk = 512;  // bytes; 0: no limit
  std::uint32_t dedupe_percentage = 0;
  FioDedupeMode dedupe_mode = FioDedupeMode::repeat;
  std::uint32_t dedupe_working_set_percentage = 5;
  bool verify = false;  // headers are not modelled: a new random fill for each write, as incompressible as fio's
  bool gtod_reduce = false;
  std::uint32_t depth = 1;  // buffers in use: iodepth, 1 for synchronous engines

  friend bool operator==(const FioContent&, const FioContent&) = default;
};

struct FioSeeding {
  std::optional<std::uint64_t> randseed;
  bool randrepeat = true;
  bool allrandrepeat = false;
  std::uint32_t job = 1;      // fio's number of the job, from 1
  std::uint64_t entropy = 1;  // stands for the system's entropy, which fio takes with randrepeat=0 and no randseed

  friend bool operator==(const FioSeeding&, const FioSeeding&) = default;
};

struct FioIoOptions {
  FioAccess access;
  FioContent content;
  FioSeeding seeding;

  friend bool operator==(const FioIoOptions&, const FioIoOptions&) = default;
};

// Checks what FioOffsets and FioBuffers rely on: sizes above 0, smallest <= largest block, percentages in range, a size
// that holds a block, and bounds on the memory that they take (a random map of at most 2^31 blocks, buffers of at most
// 1 GiB). Errors: usage, naming the option.
Status check(const FioIoOptions& options);

}  // namespace blkpress
