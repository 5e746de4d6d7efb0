// How the command opens pools, and what it says of what is in them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "blkpress/pool.hpp"
#include "blkpress/pool_name.hpp"

namespace blkpress::tool {

// For pools that the command opens or makes. Creation times are SOURCE_DATE_EPOCH (seconds since 1970) when that is set
// in the environment, and guids come from BLKPRESS_GUID_SEED (a number): so the same operations make the same file.
// Errors: usage: one of the two is not a number.
Result<PoolOptions> pool_options(bool read_only);

// Keeps each pool open that it was asked for, so that several names in one file open it once.
class PoolSession {
 public:
  explicit PoolSession(bool read_only) : read_only_(read_only) {}
  Result<Pool*> open(const std::string& file);
  // Writes and closes all of them.
  Status close();

 private:
  bool read_only_;
  std::map<std::string, std::unique_ptr<Pool>> pools_;
};

// The message says which pool it was.
Error in_pool(const PoolName& name, const Error& error);

// "inherited from db" as the user knows it: "inherited from disk.blkp/db".
std::string source_label(const PoolName& name, const std::string& source);

// "compression=zstd", one after the other. Errors: usage: no '=', or nothing before it.
Result<std::vector<Property>> parse_properties(const std::vector<std::string>& texts);

}  // namespace blkpress::tool
