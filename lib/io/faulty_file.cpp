#include <algorithm>
#include <atomic>

#include "blkpress/block_file.hpp"

namespace blkpress {
namespace {

class FaultyFile final : public BlockFile {
 public:
  FaultyFile(std::unique_ptr<BlockFile> file, const FaultPlan& plan) : file_(std::move(file)), plan_(plan) {}

  Result<std::uint64_t> size() override { return file_->size(); }

  Result<std::size_t> read(std::uint64_t offset, ByteSpan target) override {
    if (reads_++ >= plan_.failing_read) return injected("read");
    if (offset >= plan_.early_end) return std::size_t{0};
    return file_->read(offset, target.first(std::min<std::uint64_t>(target.size(), plan_.early_end - offset)));
  }

  Status write(std::uint64_t offset, ByteView source) override {
    const std::uint64_t number = writes_++;
    if (number >= plan_.failing_write) {
      if (number == plan_.failing_write) {
        BLKPRESS_TRY(file_->write(offset, source.first(std::min(plan_.torn_bytes, source.size()))));
      }
      return injected("write");
    }
    const std::uint64_t room = plan_.capacity - std::min(offset, plan_.capacity);
    if (source.size() <= room) return file_->write(offset, source);
    if (room > 0) BLKPRESS_TRY(file_->write(offset, source.first(room)));
    return Error{ErrorKind::no_space, "cannot write: injected: device is full"};
  }

  Status flush() override {
    if (flushes_++ >= plan_.failing_flush) return injected("flush");
    return file_->flush();
  }

  Status resize(std::uint64_t size) override {
    if (size > plan_.capacity) return Error{ErrorKind::no_space, "cannot resize: injected: device is full"};
    return file_->resize(size);
  }

  Result<std::optional<DataRange>> next_data(std::uint64_t offset) override { return file_->next_data(offset); }

 private:
  static Error injected(const char* verb) {
    return {ErrorKind::io, std::string("cannot ") + verb + ": injected: input/output error"};
  }

  std::unique_ptr<BlockFile> file_;
  FaultPlan plan_;
  std::atomic<std::uint64_t> reads_ = 0, writes_ = 0, flushes_ = 0;
};

}  // namespace

std::unique_ptr<BlockFile> make_faulty_file(std::unique_ptr<BlockFile> file, const FaultPlan& plan) {
  return std::make_unique<FaultyFile>(std::move(file), plan);
}

}  // namespace blkpress
