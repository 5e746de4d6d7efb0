// The volume of a virtual machine that runs a Linux distribution, as far as it is in use. One knob, the share of files
// that are compressed already (packages, pictures, archives), sets how well it compresses.
//
// The rest is text, machine code and tables in equal parts, in files of the sizes that a distribution's base system
// has, each at a block of 4 KiB; 5 % of the blocks are zero. docs/content.md has the figures. Threads: as
// RecordContent.
#pragma once

#include <cstdint>
#include <memory>

#include "blkpress/record_content.hpp"

namespace blkpress {

// The volume as records of any size, without end. knob: 0 … 1.
std::unique_ptr<RecordContent> vm_image_content(std::uint64_t seed, double knob);

}  // namespace blkpress
