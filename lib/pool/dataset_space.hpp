// DatasetSpace: what blocks take, summed up as OpenZFS does for a dataset.
//
// Threads: a value. Sums of a damaged pool may wrap around; check() finds that.
#pragma once

#include "pool/block_pointer.hpp"

namespace blkpress {

struct DatasetSpace {
  std::uint64_t data = 0;        // allocated for records, in bytes
  std::uint64_t compressed = 0;  // psize of records
  std::uint64_t logical = 0;     // lsize of records, embedded ones too
  std::uint64_t metadata = 0;    // allocated for tree nodes, both copies
  std::uint64_t nodes = 0;       // psize of tree nodes, one copy

  void add(const BlockPointer& pointer, std::uint64_t sector_bytes) {
    const std::uint64_t allocated = pointer.allocated_sectors() * sector_bytes;
    switch (pointer.kind) {
      case BlockKind::hole:
        return;
      case BlockKind::embedded:
        logical += pointer.lsize;
        return;
      case BlockKind::data:
        data += allocated;
        compressed += pointer.psize;
        logical += pointer.lsize;
        return;
      case BlockKind::metadata:
        metadata += allocated;
        nodes += pointer.psize;
    }
  }
  void subtract(const BlockPointer& pointer, std::uint64_t sector_bytes) {
    DatasetSpace block;
    block.add(pointer, sector_bytes);
    *this -= block;
  }
  DatasetSpace& operator+=(const DatasetSpace& other) {
    data += other.data;
    compressed += other.compressed;
    logical += other.logical;
    metadata += other.metadata;
    nodes += other.nodes;
    return *this;
  }
  DatasetSpace& operator-=(const DatasetSpace& other) {
    data -= other.data;
    compressed -= other.compressed;
    logical -= other.logical;
    metadata -= other.metadata;
    nodes -= other.nodes;
    return *this;
  }
  [[nodiscard]] std::uint64_t allocated() const { return data + metadata; }
  // As OpenZFS: of metadata it is psize that counts.
  [[nodiscard]] std::uint64_t logical_used() const { return logical + nodes; }
  friend bool operator==(const DatasetSpace&, const DatasetSpace&) = default;
};

}  // namespace blkpress
