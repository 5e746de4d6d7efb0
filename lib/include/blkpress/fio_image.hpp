// The file that a fio job leaves behind, without a disk and without fio.
//
// Threads: pure.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "blkpress/bytes.hpp"
#include "blkpress/fio_buffers.hpp"
#include "blkpress/fio_options.hpp"

namespace blkpress {

// When the i-th I/O of a job starts: fio scrambles the time into its buffers.
using FioClock = std::function<FioTime(std::uint64_t io)>;

// A clock such as a real one: an I/O every 20 µs, with irregular nanoseconds. Their low bits choose where fio scrambles,
// so that round numbers would make data more alike than they are.
FioTime irregular_fio_clock(std::uint64_t io);

// Runs all I/Os of the job, which complete in the order of issue, and returns the file up to its last byte. A file that
// the job reads is laid out first. options must pass check(), end by itself (no time_based), and fit into memory.
std::vector<std::byte> fio_file_image(const FioIoOptions& options, const FioClock& clock);

// The same job on a file of at most `bytes` bytes: what a sample of it needs. Keeps block sizes, order, depth and
// content; forgets offset, loops, io_size, number_ios and time_based.
FioIoOptions fio_options_within(FioIoOptions options, std::uint64_t bytes);

}  // namespace blkpress
