#include "support/fio_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>

#include "blkpress/result.hpp"

namespace blkpress::test {

std::vector<std::vector<std::string>> read_golden_csv(const std::string& name, std::size_t columns) {
  std::ifstream file(std::string(BLKPRESS_GOLDEN_DIR) + "/" + name);
  BLKPRESS_ASSERT(file.good());
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);  // the header
  while (std::getline(file, line)) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      const std::size_t comma = line.find(',');
      BLKPRESS_ASSERT(comma != std::string::npos);
      row.push_back(line.substr(0, comma));
      line.erase(0, comma + 1);
    }
    row.push_back(line);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::byte> run_fio_job(const FioIoOptions& options, const std::function<FioTime(std::uint64_t)>& clock) {
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

std::string fio_offset_lines(const FioIoOptions& options) {
  std::string lines;
  FioOffsets offsets(options);
  while (const auto io = offsets.next()) {
    fmt::format_to(std::back_inserter(lines), "{} {} {}\n", io->direction == FioDirection::read ? "read" : "write",
                   io->offset, io->length);
  }
  return lines;
}

}  // namespace blkpress::test
