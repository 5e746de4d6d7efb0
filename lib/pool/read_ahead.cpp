#include "pool/read_ahead.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <system_error>

namespace blkpress {
namespace {

// Smaller records are read as quickly as they are handed from thread to thread.
constexpr std::uint32_t kRecordBytesMin = 16 * kKiB;
constexpr std::uint64_t kStreamBytes = 4 * kMiB;
constexpr std::size_t kStreamRecordsMax = 64;
// Of all streams together, or of one whose records are larger than that.
constexpr std::uint64_t kBytesMax = 16 * kMiB;

}  // namespace

// What a thread keeps from record to record.
struct ReadAhead::Worker {
  RecordBytes stored;
  std::map<const CodecInfo*, std::unique_ptr<CodecContext>> decoders;

  void read(const BlockStore& store, Record& record) {
    bool good = false;
    if (record.codec == nullptr) {
      good = record.pointer.psize == record.pointer.lsize && store.try_read(record.pointer, *record.bytes);
    } else {
      stored.set_size(record.pointer.psize);
      std::unique_ptr<CodecContext>& decoder = decoders[record.codec];
      if (!decoder) decoder = record.codec->make_context(record.codec->default_level);
      good = store.try_read(record.pointer, stored) && decoder->decompress(stored, *record.bytes);
    }
    if (!good) record.bytes.reset();
  }
};

ReadAhead::ReadAhead(std::shared_ptr<const BlockStore> store, unsigned threads)
    : store_(std::move(store)), threads_max_(threads) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  queued_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::size_t ReadAhead::records_max(std::uint32_t record_bytes) const {
  // One thread more than the caller's own would only take turns with it.
  if (threads_max_ < 2 || record_bytes < kRecordBytesMin) return 0;
  return std::clamp<std::size_t>(kStreamBytes / record_bytes, threads_max_, kStreamRecordsMax);
}

bool ReadAhead::start_threads() {
  try {
    while (threads_.size() < threads_max_) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    threads_max_ = static_cast<unsigned>(threads_.size());  // the system gives no more
  }
  return !threads_.empty();
}

void ReadAhead::start(const RecordKey& key, Record record) {
  if (!start_threads()) return;
  take(key);
  const std::uint64_t room = std::max(kBytesMax, record.pointer.lsize * std::uint64_t{threads_max_} * 2);
  while (!begun_.empty() && bytes_ + record.pointer.lsize > room) forget_oldest();
  bytes_ += record.pointer.lsize;
  const auto shared = std::make_shared<Record>(std::move(record));
  // In the caller's thread, which will free them: allocators are quicker so.
  shared->bytes = std::make_shared<RecordBytes>(shared->pointer.lsize);
  begun_.emplace(key, Begun{shared, turns_.insert(turns_.end(), key)});
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(shared);
  }
  queued_.notify_one();
}

void ReadAhead::forget_oldest() {
  const auto record = take(turns_.front());
  const std::lock_guard lock(mutex_);
  std::erase(queue_, record);
}

std::shared_ptr<ReadAhead::Record> ReadAhead::take(const RecordKey& key) {
  const auto at = begun_.find(key);
  if (at == begun_.end()) return nullptr;
  std::shared_ptr<Record> record = std::move(at->second.record);
  turns_.erase(at->second.turn);
  begun_.erase(at);
  bytes_ -= record->pointer.lsize;
  return record;
}

std::shared_ptr<const RecordBytes> ReadAhead::wait(Record& record) {
  std::unique_lock lock(mutex_);
  if (record.state == Record::State::queued) {
    std::erase_if(queue_, [&](const auto& queued) { return queued.get() == &record; });
    return nullptr;
  }
  done_.wait(lock, [&] { return record.state == Record::State::done; });
  return record.bytes;
}

void ReadAhead::work() {
  Worker worker;
  std::unique_lock lock(mutex_);
  while (true) {
    queued_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (stopping_) return;
    const std::shared_ptr<Record> record = std::move(queue_.front());
    queue_.pop_front();
    record->state = Record::State::running;
    lock.unlock();
    try {
      worker.read(*store_, *record);
    } catch (const std::bad_alloc&) {
      record->bytes.reset();  // the caller finds out by itself
    }
    lock.lock();
    record->state = Record::State::done;
    done_.notify_all();
  }
}

}  // namespace blkpress
