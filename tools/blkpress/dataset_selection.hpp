// Which datasets of a pool `list` and `get` print: -r, -d and -t of zfs(8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blkpress/pool.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

struct DatasetSelection {
  bool recursive = false;
  std::optional<std::uint64_t> depth;  // below what is named; 0: that alone
  std::vector<std::string> types;      // filesystem, volume, snapshot, all
};

// Errors: usage: an unknown type.
Status check_types(const std::vector<std::string>& types);

// The datasets behind a name, in order. Snapshots only when a type asks for them, or the name is one's. Errors: usage:
// no such dataset.
Result<std::vector<DatasetInfo>> select_datasets(Pool& pool, const PoolName& name, const DatasetSelection& selection);

}  // namespace blkpress::tool
