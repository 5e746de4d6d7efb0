// PoolName: POOLFILE[/dataset...][@snapshot], as the user types it. Nothing has to be imported: the pool is the longest
// leading path that is a file or a block device.
#pragma once

#include <string>
#include <string_view>

#include "blkpress/result.hpp"

namespace blkpress::tool {

struct PoolName {
  std::string file;  // as typed
  std::string name;  // within the pool: "", "db/wal", "db@monday"

  [[nodiscard]] bool is_snapshot() const { return name.find('@') != std::string::npos; }
  // How the user knows something in the same pool: "disk.blkp/db".
  [[nodiscard]] std::string label(std::string_view within) const;
  [[nodiscard]] std::string label() const { return label(name); }
};

// Errors: usage: no leading path of it is a file; an empty part.
Result<PoolName> parse_pool_name(std::string_view text);
// The same, and it names no snapshot. what: for the message, "set".
Result<PoolName> parse_dataset_name(std::string_view text);
// Whether a path is a regular file or a block device.
bool is_file_or_device(const std::string& path);

}  // namespace blkpress::tool
