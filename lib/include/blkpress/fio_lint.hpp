// What the data of a fio job compress to, beside what its options ask for.
//
// fio's buffers are often not what one thinks: a job in 4 KiB blocks repeats one buffer, so that records of 128 KiB
// compress ten-fold although nothing was asked for; a benchmark of a compressing filesystem then measures fio. Threads:
// pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "blkpress/fio_options.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

struct FioLintOptions {
  std::vector<std::string> compressions = {"lz4", "zstd-3", "gzip-6"};  // as policy zfs takes them
  std::vector<std::string> recordsizes = {"16K", "128K", "1M"};
  std::string ashift = "12";
  std::uint64_t sample_bytes = 32 * kMiB;  // so much of the file is made and compressed; at least one block
};

// One (compression, recordsize).
struct FioLintCell {
  std::string compression;
  std::string recordsize;
  double ratio = 1;       // logical / stored, of what is not a hole; 1 when all of it is
  double hole_share = 0;  // of the file's bytes, 0 to 1
  // The ratio is more than a tenth above or below what the options ask for.
  bool misleading = false;
};

struct FioLint {
  // The ratio that the options ask for; unset when they do not say (a pattern).
  std::optional<double> asked;
  std::string because;      // "buffer_compress_percentage=70"
  std::uint64_t bytes = 0;  // of the sample
  std::vector<FioLintCell> cells;
  std::string hint;  // what makes the data as compressible as asked for; empty: they are
};

// options must pass check(). Errors: usage, for a compression or record size that policy zfs refuses, or a sample that
// would not fit into memory (blocks above 1 GiB).
Result<FioLint> lint_fio_job(const FioIoOptions& options, const FioLintOptions& lint);

}  // namespace blkpress
