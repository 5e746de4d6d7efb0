// The ledger of a dataset: what `zfs get` would say after these objects were written, exactly as OpenZFS defines it.
//
// docs/accounting.md has every definition. Sizes in bytes. No function fails. Threads: a plain value; one thread at a
// time.
#pragma once

#include <array>
#include <cstdint>

#include "blkpress/record.hpp"

namespace blkpress {

// What a dataset costs before it holds anything.
struct EmptyDataset {
  std::uint64_t used = 0;          // deflated, all copies
  std::uint64_t compressed = 0;    // psize of its blocks
  std::uint64_t uncompressed = 0;  // what they add to logicalused: their psize, as they are metadata

  friend bool operator==(const EmptyDataset&, const EmptyDataset&) = default;
};

class Ledger {
 public:
  explicit Ledger(const EmptyDataset& empty = {});

  void add(const ObjectSums& object);
  // Counts a descendant dataset: it adds to used, logicalused and compressratio, not to what is referenced.
  void add_child(const Ledger& child);

  [[nodiscard]] std::uint64_t used() const { return referenced_ + child_used_; }
  [[nodiscard]] std::uint64_t referenced() const { return referenced_; }
  [[nodiscard]] std::uint64_t logicalused() const { return uncompressed_ + child_uncompressed_; }
  [[nodiscard]] std::uint64_t logicalreferenced() const { return uncompressed_; }
  // What the ratios divide by: psize of every block, metadata included.
  [[nodiscard]] std::uint64_t compressed() const { return compressed_ + child_compressed_; }
  [[nodiscard]] std::uint64_t compressed_referenced() const { return compressed_; }

  // Times 100, truncated; 100 when nothing is stored. compressratio covers descendants, refcompressratio does not.
  [[nodiscard]] std::uint64_t compressratio_x100() const;
  [[nodiscard]] std::uint64_t refcompressratio_x100() const;

  // Sums over the objects of this dataset, without what the empty dataset costs.
  [[nodiscard]] std::uint64_t objects() const { return objects_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t st_blocks() const { return st_blocks_; }
  [[nodiscard]] std::uint64_t embedded_payload() const { return embedded_payload_; }
  [[nodiscard]] std::uint64_t tail_padding() const { return tail_padding_; }
  [[nodiscard]] const BlockSums& data() const { return data_; }
  [[nodiscard]] const BlockSums& metadata() const { return metadata_; }
  [[nodiscard]] const ReasonSums& of(RecordReason reason) const { return reasons_[static_cast<std::size_t>(reason)]; }

 private:
  std::uint64_t referenced_ = 0, compressed_ = 0, uncompressed_ = 0;
  std::uint64_t child_used_ = 0, child_compressed_ = 0, child_uncompressed_ = 0;
  std::uint64_t objects_ = 0, bytes_ = 0, st_blocks_ = 0, embedded_payload_ = 0, tail_padding_ = 0;
  BlockSums data_, metadata_;
  std::array<ReasonSums, kRecordReasonCount> reasons_ = {};
};

// logical * 100 / stored, truncated as OpenZFS does; 100 when stored is 0.
std::uint64_t ratio_x100(std::uint64_t logical, std::uint64_t stored);

}  // namespace blkpress
