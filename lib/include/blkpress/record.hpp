// How a record ended: as a hole, embedded, raw or compressed, always with the reason; and the sums over the records of
// one object (a file or a volume).
//
// lsize is logical, psize what the record takes after compression and rounding, asize what is allocated for it: with
// parity, padding and all copies. All in bytes. Policies (policy.hpp) make these; the ledger (ledger.hpp) adds them up.
// Threads: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace blkpress {

enum class RecordKind : std::uint8_t { hole, embedded, raw, compressed };

enum class RecordReason : std::uint8_t {
  hole,              // all zeros, and compression is on
  embedded,          // so short that it lives in the block pointer, or in the inode or leaf of its file
  compressed,        // kept compressed
  compression_off,   // raw: nothing was tried
  saves_too_little,  // raw: the codec did not fit it into the keep limit
  sector_rounding,   // raw: it shrank, but not by a whole sector
  codec_gave_up,     // raw: the codec, or its early abort, found nothing to save
  heuristic,         // raw: a sample of the bytes looked as if nothing could be saved (btrfs)
  after_raw,         // raw: a record before it in the file was, and this one follows suit (btrfs)
  too_short,         // raw: less than what is compressed at a time: a last sector, or an incomplete cluster
  no_partner,        // raw: compressed, but it found no other record to share a block with (vdo)
};
inline constexpr std::size_t kRecordKindCount = 4;
inline constexpr std::size_t kRecordReasonCount = 11;

// "hole", "embedded", "raw", "compressed".
std::string_view to_string(RecordKind kind);
// The enumerator's name, "saves_too_little": stable, used as a key in JSON and CSV.
std::string_view to_string(RecordReason reason);
// For people: "raw: saves too little".
std::string_view describe(RecordReason reason);

struct RecordOutcome {
  RecordKind kind = RecordKind::hole;
  RecordReason reason = RecordReason::hole;
  std::uint32_t lsize = 0;
  std::uint32_t psize = 0;    // 0 for holes and embedded records, except btrfs's inline extents
  std::uint32_t asize = 0;    // of all copies, with parity
  std::uint32_t payload = 0;  // bytes that carry content: the codec's output; lsize when raw; 0 for a hole

  friend bool operator==(const RecordOutcome&, const RecordOutcome&) = default;
};

// What a worker found out about one record, and all that the object's account needs to know of it afterwards.
struct RecordFinding {
  RecordOutcome outcome;
  std::array<std::uint64_t, 4> checksum = {};  // fletcher4 of the stored bytes; zeros for a hole and an embedded record
  std::array<std::byte, 112> embedded = {};    // the first outcome.payload bytes, when embedded
};

// Blocks of one class, of one object.
struct BlockSums {
  std::uint64_t blocks = 0;
  std::uint64_t lsize = 0;
  std::uint64_t psize = 0;   // one copy
  std::uint64_t asize = 0;   // all copies, with parity
  std::uint64_t parity = 0;  // of asize: raidz parity
  std::uint64_t skip = 0;    // of asize: sectors that raidz leaves unused so that every gap can be allocated
  std::uint64_t dsize = 0;   // asize deflated, what `used` counts; equals asize except on raidz

  BlockSums& operator+=(const BlockSums& other);
  friend bool operator==(const BlockSums&, const BlockSums&) = default;
};

// The records that ended for one reason.
struct ReasonSums {
  std::uint64_t records = 0;
  std::uint64_t lsize = 0;
  std::uint64_t psize = 0;
  std::uint64_t asize = 0;
  std::uint64_t payload = 0;
  std::uint64_t padding = 0;  // allocated, neither content nor parity: fill up to psize and to the sector, all copies

  ReasonSums& operator+=(const ReasonSums& other);
  friend bool operator==(const ReasonSums&, const ReasonSums&) = default;
};

struct ObjectSums {
  std::uint64_t bytes = 0;             // length of the object
  std::uint64_t block_size = 0;        // lsize of each of its records; stat's st_blksize
  int levels = 1;                      // 1: no indirect blocks
  BlockSums data;                      // records that are not holes; embedded ones count in blocks and lsize only
  BlockSums metadata;                  // indirect blocks
  std::uint64_t embedded_payload = 0;  // bytes
  std::uint64_t tail_padding = 0;      // zeros behind the end of the object in its last record, part of data.lsize
  std::uint64_t st_blocks = 0;         // as stat(2), in 512-byte units
  std::array<ReasonSums, kRecordReasonCount> reasons = {};

  [[nodiscard]] const ReasonSums& of(RecordReason reason) const { return reasons[static_cast<std::size_t>(reason)]; }
};

}  // namespace blkpress
