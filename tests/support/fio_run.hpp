// Goldens of fio, and a fio job's I/Os as text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/fio_image.hpp"

namespace blkpress::test {

// One row of a CSV file of data/golden; the last column may hold commas.
std::vector<std::vector<std::string>> read_golden_csv(const std::string& name, std::size_t columns);

// All I/Os as "read 4096 8192" lines.
std::string fio_offset_lines(const FioIoOptions& options);

}  // namespace blkpress::test
