// The CPU time of codecs, measured: the one place of the project that reads a CPU clock for a result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "blkpress/codec.hpp"
#include "blkpress/content_sample.hpp"
#include "blkpress/sim/host.hpp"

namespace blkpress::tool {

// Times every compression on every sample: per record the least of the repetitions, then the mean over the records. One
// repetition goes through everything before the next begins, so that all codecs meet the machine's slow moments alike.
// progress is called before each repetition, counted from 0.
std::vector<sim::CodecCost> time_codecs(std::span<const Compression> compressions,
                                        std::span<const ContentSample> samples, std::uint64_t repetitions,
                                        void (*progress)(std::uint64_t repetition));

}  // namespace blkpress::tool
