// Power cuts: what a file may hold when the power goes after any of its changes.
#pragma once

#include <functional>
#include <string>

#include "blkpress/random.hpp"
#include "pool/image_file.hpp"

namespace blkpress::test {

// Looks at what a cut has left. cut: changes that were begun; number: of the cut. What is wrong, or nothing.
using LookAfterCut = std::function<std::string(Image& image, std::size_t cut, std::uint64_t number, Undo& undo)>;

// Cuts at every change: the writes since the last flush are lost in every combination when they are up to 6, in 16
// random ones otherwise, and the last that arrives may be torn at 512 bytes. Returns at how many points; the test fails
// at the first where something is wrong.
std::uint64_t cut_everywhere(const Image& begin, const std::vector<FileChange>& log, std::uint64_t seed,
                             const LookAfterCut& look);

}  // namespace blkpress::test
