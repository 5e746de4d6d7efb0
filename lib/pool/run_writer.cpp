#include "pool/run_writer.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace blkpress {
namespace {

// Long enough that a system call more does not matter, short enough to be in a processor's cache still.
constexpr std::size_t kRunBytesMax = kMiB;
constexpr std::size_t kQueuedMax = 4;
// Of one call; POSIX promises 16, Linux takes 1024.
constexpr std::size_t kPartsMax = 256;
// Shorter ones are cheaper to copy than to write as a part.
constexpr std::size_t kCopiedMax = 8 * kKiB;
constexpr std::size_t kCopiesBytes = 64 * kKiB;

constexpr std::array<std::byte, 64 * kKiB> kZeros = {};  // a sector at most

}  // namespace

RunWriter::RunWriter(BlockFile& file, std::uint64_t sector_bytes) : file_(file), sector_bytes_(sector_bytes) {}

RunWriter::~RunWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  run_queued_.notify_one();
  if (thread_.joinable()) thread_.join();
}

// Copies never move: their room is reserved, and a new one is begun when it is used up.
void RunWriter::add_copy(ByteView bytes) {
  if (!run_.copies || run_.copies->capacity() - run_.copies->size() < bytes.size()) {
    run_.copies = std::make_shared<std::vector<std::byte>>();
    run_.copies->reserve(std::max(kCopiesBytes, bytes.size()));
    run_.owners.push_back(run_.copies);
    run_.parts.emplace_back(run_.copies->data(), 0);
  }
  run_.copies->insert(run_.copies->end(), bytes.begin(), bytes.end());
  run_.parts.back() = ByteView(run_.parts.back().data(), run_.parts.back().size() + bytes.size());
}

Status RunWriter::append(std::uint64_t sector, ByteView bytes, const std::shared_ptr<const void>& owner) {
  const std::uint64_t begin = sector * sector_bytes_;
  const bool goes_on = run_.begin + run_.bytes == begin && run_.bytes + bytes.size() <= kRunBytesMax;
  if (!goes_on || run_.parts.size() + 2 > kPartsMax) {
    BLKPRESS_TRY(hand_over());
    run_.begin = begin;
  }
  const std::uint64_t padding = round_up(bytes.size(), sector_bytes_) - bytes.size();
  if (!owner || bytes.size() <= kCopiedMax) {
    add_copy(bytes);
    if (padding > 0) add_copy(ByteView(kZeros).first(padding));
  } else {
    run_.copies.reset();
    run_.parts.push_back(bytes);
    run_.owners.push_back(owner);
    if (padding > 0) run_.parts.push_back(ByteView(kZeros).first(padding));
  }
  run_.bytes += bytes.size() + padding;
  return ok();
}

Status RunWriter::write(const Run& run) {
  BLKPRESS_TRY(file_.write_parts(run.begin, run.parts));
  file_.write_back_soon(run.begin, run.bytes);
  return ok();
}

bool RunWriter::start() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    return false;  // the system has no more threads to give: the caller's does it
  }
  return true;
}

Status RunWriter::hand_over() {
  Run run = std::exchange(run_, {});
  std::vector<Run> written;
  std::unique_lock lock(mutex_);
  run_written_.wait(lock, [this] { return queue_.size() < kQueuedMax; });
  written.swap(written_);
  if (error_) return *error_;
  if (run.parts.empty()) return ok();
  if (!start()) {
    const Status done = write(run);
    if (!done) error_ = done.error();
    return done;
  }
  queue_.push_back(std::move(run));
  lock.unlock();
  run_queued_.notify_one();
  return ok();
}

void RunWriter::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    run_queued_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    if (!error_) {
      // Only this thread takes runs out, and a deque's elements stay where they are.
      const Run& run = queue_.front();
      lock.unlock();
      const Status done = write(run);
      lock.lock();
      if (!done) error_ = done.error();
    }
    written_.push_back(std::move(queue_.front()));
    queue_.pop_front();
    run_written_.notify_one();
  }
}

Status RunWriter::settle() {
  std::vector<Run> written;
  std::unique_lock lock(mutex_);
  run_written_.wait(lock, [this] { return queue_.empty(); });
  written.swap(written_);
  if (error_) return *error_;
  return ok();
}

Status RunWriter::wait() {
  BLKPRESS_TRY(hand_over());
  return settle();
}

}  // namespace blkpress
