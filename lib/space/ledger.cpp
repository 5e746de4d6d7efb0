#include "blkpress/ledger.hpp"

namespace blkpress {

// OpenZFS, module/zfs/dsl_dataset.c:dsl_get_compressratio and dsl_get_refratio: integer division, no rounding.
std::uint64_t ratio_x100(std::uint64_t logical, std::uint64_t stored) {
  return stored == 0 ? 100 : logical * 100 / stored;
}

Ledger::Ledger(const EmptyDataset& empty)
    : referenced_(empty.used), compressed_(empty.compressed), uncompressed_(empty.uncompressed) {}

void Ledger::add(const ObjectSums& object) {
  referenced_ += object.data.dsize + object.metadata.dsize;
  compressed_ += object.data.psize + object.metadata.psize;
  // Metadata counts with its psize on both sides, so that it is neutral in the ratio: OpenZFS, include/sys/spa.h:
  // BP_GET_UCSIZE.
  uncompressed_ += object.data.lsize + object.metadata.psize;
  ++objects_;
  bytes_ += object.bytes;
  st_blocks_ += object.st_blocks;
  embedded_payload_ += object.embedded_payload;
  tail_padding_ += object.tail_padding;
  data_ += object.data;
  metadata_ += object.metadata;
  for (std::size_t i = 0; i < kRecordReasonCount; ++i) reasons_[i] += object.reasons[i];
}

void Ledger::add_child(const Ledger& child) {
  child_used_ += child.used();
  child_compressed_ += child.compressed();
  child_uncompressed_ += child.logicalused();
}

std::uint64_t Ledger::compressratio_x100() const { return ratio_x100(logicalused(), compressed()); }
std::uint64_t Ledger::refcompressratio_x100() const { return ratio_x100(uncompressed_, compressed_); }

}  // namespace blkpress
