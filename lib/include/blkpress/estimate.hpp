// Estimate: what filesystems would store for these files, without writing them.
//
// One read of each file answers any number of questions (cells: a policy with its properties). Every record is
// compressed for real and every block counted, so an answer is exact, and the same for any number of threads:
//
//   auto result = estimate({.paths = {"/srv/data"},
//                           .cells = {{"zfs", {{"compression", "lz4"}}}, {"zfs", {{"compression", "zstd-3"}}}}});
//   if (!result) …                                        // Result: usage or io
//   result->cells[0].ledger.compressratio_x100();         // as one dataset with these files would print it
//
// What is counted: docs/estimate.md. Threads: estimate() may run in any thread and starts its own; callbacks run in the
// caller's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "blkpress/block_file.hpp"
#include "blkpress/file_tree.hpp"
#include "blkpress/ledger.hpp"
#include "blkpress/policy.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

// One question.
struct EstimateCell {
  std::string policy;
  std::vector<Property> properties;  // as make_policy() takes them
};

struct EstimateProgress {
  std::uint64_t files = 0;  // read so far
  std::uint64_t bytes = 0;
};

struct EstimateOptions {
  std::vector<std::string> paths;   // files and directories
  std::vector<EstimateCell> cells;  // at least one
  unsigned threads = 0;             // that compress; 0: one for each CPU; at most four for each
  TreeOptions tree = {};
  // Called now and then while files are read.
  std::function<void(const EstimateProgress&)> progress = {};
  // How a file is opened; unset: open_file() without following symbolic links.
  std::function<Result<std::unique_ptr<BlockFile>>(const std::string& path)> open = {};
};

struct CellEstimate {
  std::string policy;
  std::vector<Property> properties;  // in force, defaults included
  Ledger ledger;                     // one dataset with all files in it
};

struct EstimateResult {
  static constexpr std::size_t kProblemsNamedMax = 1000;

  std::vector<CellEstimate> cells;  // in the order of the question
  std::uint64_t files = 0;          // counted in the ledgers
  std::uint64_t bytes = 0;          // their lengths
  std::uint64_t unwritten = 0;      // of bytes: in ranges that are holes in the files themselves, and stay unallocated
  std::uint64_t grown = 0;          // files that grew while they were read: counted as long as they were when opened
  TreeSkips skips;
  // Files and directories that could not be read, or that shrank meanwhile. They are in no ledger.
  std::uint64_t unreadable = 0;
  std::vector<Error> problems;  // the first kProblemsNamedMax of them
};

// Errors: usage, for a cell that its policy refuses or a path that is neither file nor directory; io, for a path that
// does not exist. What goes wrong later, below a path, is counted in the result and does not stop the scan.
Result<EstimateResult> estimate(const EstimateOptions& options);

}  // namespace blkpress
