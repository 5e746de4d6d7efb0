// A fio job run without a disk: its I/Os in order, and the file that they leave behind.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/fio_buffers.hpp"

namespace blkpress::test {

// One row of a CSV file of data/golden; the last column may hold commas.
std::vector<std::vector<std::string>> read_golden_csv(const std::string& name, std::size_t columns);

// Runs all I/Os of the job, completing them in order, and returns the file up to its last byte. clock: the start time
// of the i-th I/O. Files of jobs that read are laid out first.
std::vector<std::byte> run_fio_job(const FioIoOptions& options, const std::function<FioTime(std::uint64_t)>& clock);

// All I/Os as "read 4096 8192" lines.
std::string fio_offset_lines(const FioIoOptions& options);

}  // namespace blkpress::test
