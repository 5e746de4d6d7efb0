// A TOML file as a table, with toml++'s exceptions turned into errors: the one place of this folder that catches.
#pragma once

#include <toml++/toml.h>
#include <string>

#include "blkpress/result.hpp"

namespace blkpress::sim {

Result<toml::table> read_toml(const std::string& path);

}  // namespace blkpress::sim
