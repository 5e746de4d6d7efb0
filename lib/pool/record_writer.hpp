// RecordWriter: records compressed side by side, handed back in the order in which they came.
//
// Threads: one at a time; what is handed back runs in the thread that calls.
#pragma once

#include <functional>

#include "blkpress/ordered_pool.hpp"
#include "pool/block_pointer.hpp"
#include "pool/object_state.hpp"
#include "pool/record_cache.hpp"
#include "pool/record_settings.hpp"

namespace blkpress {

struct RecordJob {
  RecordKey key;
  std::shared_ptr<ObjectState> object;
  std::shared_ptr<const RecordBytes> bytes;
  std::uint64_t reserved = 0;
  std::uint32_t unit = 0;  // size of the record; bytes may be fewer, the rest is zeros
  std::shared_ptr<const RecordSettings> settings;
  // What the policy says, once that is worked out.
  RecordFinding finding;
  ByteView stored;
  BlockChecksum checksum = {};
  std::shared_ptr<const void> owner;  // keeps stored alive
};

class RecordWriter {
 public:
  using Place = std::function<void(RecordJob&)>;

  // place gets each job when it is worked out; it may not call the writer.
  RecordWriter(unsigned threads, Place place);
  ~RecordWriter();

  void submit(RecordJob job);
  // Returns when all jobs have been placed. Errors: io: memory ran out.
  Status drain();

 private:
  struct Worker;

  Place place_;
  std::vector<std::unique_ptr<Worker>> workers_;
  OrderedPool pool_;
};

}  // namespace blkpress
