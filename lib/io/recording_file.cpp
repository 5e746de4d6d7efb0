#include <mutex>

#include "blkpress/block_file.hpp"

namespace blkpress {
namespace {

class RecordingFile final : public BlockFile {
 public:
  RecordingFile(std::unique_ptr<BlockFile> file, std::shared_ptr<std::vector<FileChange>> log)
      : file_(std::move(file)), log_(std::move(log)) {}

  Result<std::uint64_t> size() override { return file_->size(); }
  Result<std::size_t> read(std::uint64_t offset, ByteSpan target) override { return file_->read(offset, target); }
  Result<std::optional<DataRange>> next_data(std::uint64_t offset) override { return file_->next_data(offset); }

  // The lock keeps the order of the log that of the file.
  Status write(std::uint64_t offset, ByteView source) override {
    const std::lock_guard lock(mutex_);
    BLKPRESS_TRY(file_->write(offset, source));
    log_->push_back({FileChange::Kind::write, offset, {source.begin(), source.end()}});
    return ok();
  }

  Status flush() override {
    const std::lock_guard lock(mutex_);
    BLKPRESS_TRY(file_->flush());
    log_->push_back({FileChange::Kind::flush, 0, {}});
    return ok();
  }

  Status resize(std::uint64_t size) override {
    const std::lock_guard lock(mutex_);
    BLKPRESS_TRY(file_->resize(size));
    log_->push_back({FileChange::Kind::resize, size, {}});
    return ok();
  }

 private:
  std::unique_ptr<BlockFile> file_;
  std::shared_ptr<std::vector<FileChange>> log_;
  std::mutex mutex_;
};

}  // namespace

std::unique_ptr<BlockFile> make_recording_file(std::unique_ptr<BlockFile> file,
                                               std::shared_ptr<std::vector<FileChange>> log) {
  return std::make_unique<RecordingFile>(std::move(file), std::move(log));
}

}  // namespace blkpress
