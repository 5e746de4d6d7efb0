// RunWriter: blocks on their way to the file. Those that follow each other are written together, by a thread of its
// own, in the order in which they came.
//
// Threads: one at a time. Whoever keeps bytes alive is let go in the thread that calls.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "blkpress/block_file.hpp"

namespace blkpress {

class RunWriter {
 public:
  // file outlives the writer.
  RunWriter(BlockFile& file, std::uint64_t sector_bytes);
  // Writes what was handed over; the run that is still growing is dropped.
  ~RunWriter();
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  // A block at that sector; its last sector is filled up with zeros. owner keeps the bytes as they are; null: they are
  // copied. Errors: of a write before, from this call or a later one on, wait() at the latest.
  Status append(std::uint64_t sector, ByteView bytes, const std::shared_ptr<const void>& owner);
  // Returns when all blocks are in the file. They are not flushed.
  Status wait();
  // Returns when nothing is being written; the run that is still growing stays.
  Status settle();

 private:
  struct Run {
    std::uint64_t begin = 0, bytes = 0;
    std::vector<ByteView> parts;
    std::vector<std::shared_ptr<const void>> owners;
    std::shared_ptr<std::vector<std::byte>> copies;  // the last part grows in here; null: it does not
  };

  void add_copy(ByteView bytes);
  Status hand_over();
  Status write(const Run& run);
  void work();
  bool start();

  BlockFile& file_;
  std::uint64_t sector_bytes_;
  Run run_;

  std::mutex mutex_;
  std::condition_variable run_queued_, run_written_;
  std::deque<Run> queue_;       // the first one is being written
  std::vector<Run> written_;    // to be let go by the caller
  std::optional<Error> error_;  // of the first write that failed: nothing is written any more
  bool stopping_ = false;
  std::thread thread_;  // from the first run on
};

}  // namespace blkpress
