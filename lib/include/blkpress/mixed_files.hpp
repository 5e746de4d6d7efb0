// What a file server's users keep. One knob, the share of media that are compressed already (pictures, sound, film),
// sets how well it compresses.
//
// The rest is prose, source text and mail attachments in base64, in equal parts. Files are as long as 1 MiB, so that a
// record belongs to one. docs/content.md has the figures. Threads: as RecordContent.
#pragma once

#include <cstdint>
#include <memory>

#include "blkpress/record_content.hpp"

namespace blkpress {

// The files one behind the other as records of any size, without end. knob: 0 … 1.
std::unique_ptr<RecordContent> mixed_files_content(std::uint64_t seed, double knob);

}  // namespace blkpress
