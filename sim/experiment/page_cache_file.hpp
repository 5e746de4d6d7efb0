// The tables of experiment.toml that describe filesystems behind the page cache: [page_cache], [btrfs], [f2fs].
#pragma once

#include "blkpress/sim/world.hpp"
#include "host/toml_fields.hpp"

namespace blkpress::sim {

// root: of the whole file. Tables that are missing leave the defaults. Errors: usage.
Status read_page_cache(TomlFields& root, WorldOptions& world);

}  // namespace blkpress::sim
