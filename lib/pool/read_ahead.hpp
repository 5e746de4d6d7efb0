// ReadAhead: records that will be asked for soon, read and decoded by threads of its own.
//
// What comes out is as the block pointer says or not there; whether the pointer still holds is the caller's to know.
// Threads: under the pool's lock, but for wait().
#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "pool/block_store.hpp"
#include "pool/record_cache.hpp"

namespace blkpress {

class ReadAhead {
 public:
  struct Record {
    BlockPointer pointer;
    const CodecInfo* codec = nullptr;
    std::uint64_t changes = 0;  // the caller's, for comparing
    enum class State : std::uint8_t { queued, running, done } state = State::queued;
    std::shared_ptr<RecordBytes> bytes;  // null: could not be read
  };

  // threads: started with the first record.
  ReadAhead(std::shared_ptr<const BlockStore> store, unsigned threads);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // How many records of that size are worth asking for in advance; 0: none.
  [[nodiscard]] std::size_t records_max(std::uint32_t record_bytes) const;
  // Begins with a block of data. When too much is waiting to be taken, the oldest is forgotten.
  void start(const RecordKey& key, Record record);
  // Takes it out. Null: it was not begun, or has been forgotten.
  std::shared_ptr<Record> take(const RecordKey& key);
  // Its bytes; null: no thread has come to it yet, or it cannot be read: the caller does it.
  std::shared_ptr<const RecordBytes> wait(Record& record);

 private:
  struct Worker;

  void work();
  void forget_oldest();
  bool start_threads();

  std::shared_ptr<const BlockStore> store_;
  unsigned threads_max_;
  struct Begun {
    std::shared_ptr<Record> record;
    std::list<RecordKey>::iterator turn;
  };
  std::unordered_map<RecordKey, Begun, RecordKeyHash> begun_;
  std::list<RecordKey> turns_;  // oldest first
  std::uint64_t bytes_ = 0;     // of those begun

  std::mutex mutex_;  // of what follows, and of the states
  std::condition_variable queued_, done_;
  std::deque<std::shared_ptr<Record>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace blkpress
