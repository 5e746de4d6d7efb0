#include "blkpress/sim/filesystem.hpp"

#include "blkpress/result.hpp"

namespace blkpress::sim {

// A caller asks reads() first; these are for filesystems that answer no.
FilesystemModel::File FilesystemModel::open(RecordSource&, std::optional<std::uint64_t>) {
  BLKPRESS_ASSERT(reads());
  return 0;
}

Task FilesystemModel::read_part(Process&, File, std::uint64_t, std::uint32_t) {
  BLKPRESS_ASSERT(reads() && parts());
  co_return;
}

Task FilesystemModel::write_part(Process&, File, std::uint64_t, std::uint32_t) {
  BLKPRESS_ASSERT(parts());
  co_return;
}

Task FilesystemModel::sync(Process&) {
  BLKPRESS_ASSERT(reads());
  co_return;
}

Task FilesystemModel::read_record(Process&, File, std::uint64_t) {
  BLKPRESS_ASSERT(reads());
  co_return;
}

}  // namespace blkpress::sim
