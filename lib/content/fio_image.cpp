#include "blkpress/fio_image.hpp"

#include <algorithm>
#include <deque>

#include "blkpress/fio_offsets.hpp"
#include "blkpress/random.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

FioTime irregular_fio_clock(std::uint64_t io) {
  const std::uint64_t ns = io * 20'011 + (mix64(io) & 1023);
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

std::vector<std::byte> fio_file_image(const FioIoOptions& options, const FioClock& clock) {
  BLKPRESS_ASSERT(!options.access.time_based);
  std::vector<std::byte> file;
  const bool laid_out = fio_lays_out(options);
  if (laid_out) {
    FioLayout layout(options);
    file.resize(layout.size());
    layout.read(0, file);
  }
  if (!options.access.writes) return file;
  FioBuffers buffers(options, laid_out);
  FioOffsets offsets(options);
  std::deque<std::uint32_t> in_flight;
  for (std::uint64_t i = 0;; ++i) {
    const auto io = offsets.next();
    if (!io) return file;
    if (in_flight.size() == options.content.depth) {
      buffers.release(in_flight.front());
      in_flight.pop_front();
    }
    in_flight.push_back(buffers.acquire());
    if (io->direction == FioDirection::read) continue;
    buffers.prepare(in_flight.back(), *io, clock(i));
    const ByteView bytes = buffers.bytes(in_flight.back());
    if (file.size() < io->offset + io->length) file.resize(io->offset + io->length);
    std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(io->offset));
  }
}

FioIoOptions fio_options_within(FioIoOptions options, std::uint64_t bytes) {
  FioAccess& access = options.access;
  const std::uint64_t block = std::max(access.block_sizes[0].max, access.block_sizes[1].max);
  access.size = std::max(block, std::min(access.size, bytes / block * block));
  access.offset = 0;
  access.loops = 1;
  access.io_size = 0;
  access.number_ios = 0;
  access.time_based = false;
  return options;
}

}  // namespace blkpress
