#include "blkpress/record_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "blkpress/bitmap_image.hpp"
#include "blkpress/event_table.hpp"
#include "blkpress/fio_buffers.hpp"
#include "blkpress/fio_image.hpp"
#include "blkpress/mixed_files.hpp"
#include "blkpress/random.hpp"
#include "blkpress/vm_image.hpp"

namespace blkpress {

namespace {

class ZeroContent final : public RecordContent {
 public:
  void fill(std::uint64_t, ByteSpan record) override { std::fill(record.begin(), record.end(), std::byte{0}); }
  [[nodiscard]] std::string_view cost_class() const override { return "zeros"; }
};

class UniformContent final : public RecordContent {
 public:
  explicit UniformContent(std::uint64_t seed) : seed_(seed) {}
  void fill(std::uint64_t index, ByteSpan record) override {
    Random random(seed_, index);
    std::size_t done = 0;
    for (; done + 8 <= record.size(); done += 8) store_le(record.data() + done, random.next());
    std::byte last[8];
    store_le(last, random.next());
    std::copy_n(last, record.size() - done, record.data() + done);
  }
  [[nodiscard]] std::string_view cost_class() const override { return "urandom"; }

 private:
  std::uint64_t seed_;
};

std::string_view fio_cost_class(FioFill fill) {
  switch (fill) {
    case FioFill::up_to_3_30:
      return "fio-3.29";
    case FioFill::of_3_31:
      return "fio-3.31";
    case FioFill::since_3_32:
      return "fio-3.33";
  }
  return {};
}

class FioWriteContent final : public RecordContent {
 public:
  FioWriteContent(const FioIoOptions& options, std::uint64_t ns_per_io) : options_(options), ns_per_io_(ns_per_io) {}

  // A record depends on the writes before it only through the random streams; the walk begins anew when it has to go
  // back.
  void fill(std::uint64_t index, ByteSpan record) override {
    if (!buffers_ || index < next_) {
      buffers_ = std::make_unique<FioBuffers>(options_, false);
      next_ = 0;
    }
    for (; next_ <= index; ++next_) {
      const std::uint64_t ns = next_ * ns_per_io_;
      const FioIo io{FioDirection::write, next_ * record.size(), record.size(), 0};
      buffer_ = buffers_->acquire();
      buffers_->prepare(buffer_, io, {ns / 1'000'000'000, ns % 1'000'000'000});
      buffers_->release(buffer_);
    }
    const ByteView bytes = buffers_->bytes(buffer_);
    std::copy_n(bytes.begin(), record.size(), record.begin());
  }
  [[nodiscard]] std::string_view cost_class() const override { return fio_cost_class(options_.content.fill); }

 private:
  FioIoOptions options_;
  std::uint64_t ns_per_io_;
  std::unique_ptr<FioBuffers> buffers_;
  std::uint32_t buffer_ = 0;
  std::uint64_t next_ = 0;
};

class FioImageContent final : public RecordContent {
 public:
  FioImageContent(const FioIoOptions& options, std::uint64_t record_bytes, std::uint64_t records)
      : fill_(options.content.fill),
        record_bytes_(record_bytes),
        image_(fio_file_image(fio_options_within(options, record_bytes * records), irregular_fio_clock)) {
    image_.resize(round_up(image_.size(), record_bytes));
  }

  void fill(std::uint64_t index, ByteSpan record) override {
    const std::uint64_t from = index % (image_.size() / record_bytes_) * record_bytes_;
    std::copy_n(image_.begin() + static_cast<std::ptrdiff_t>(from), record.size(), record.begin());
  }
  [[nodiscard]] std::string_view cost_class() const override { return fio_cost_class(fill_); }

 private:
  FioFill fill_;
  std::uint64_t record_bytes_;
  std::vector<std::byte> image_;
};

class FioLayoutContent final : public RecordContent {
 public:
  FioLayoutContent(const FioIoOptions& options, std::uint64_t record_bytes)
      : fill_(options.content.fill), record_bytes_(record_bytes), layout_(options) {}

  void fill(std::uint64_t index, ByteSpan record) override {
    for (std::uint64_t offset = index * record_bytes_; !record.empty();) {
      const std::uint64_t start = offset / layout_.block_size() * layout_.block_size();
      load(start);
      const ByteView rest = ByteView(block_).subspan(offset - start);
      const std::size_t length = std::min(rest.size(), record.size());
      std::copy_n(rest.begin(), length, record.begin());
      record = record.subspan(length);
      offset += length;
    }
  }
  [[nodiscard]] std::string_view cost_class() const override {
    switch (fill_) {
      case FioFill::up_to_3_30:
        return "fio-3.29-layout";
      case FioFill::of_3_31:
        return "fio-3.31-layout";
      case FioFill::since_3_32:
        return "fio-3.33-layout";
    }
    return {};
  }

 private:
  void load(std::uint64_t start) {
    if (!block_.empty() && start == block_start_) return;
    block_.resize(std::min(layout_.block_size(), layout_.size() - start));
    layout_.read(start, block_);
    block_start_ = start;
  }

  FioFill fill_;
  std::uint64_t record_bytes_;
  FioLayout layout_;
  std::uint64_t block_start_ = 0;
  std::vector<std::byte> block_;
};

}  // namespace

std::unique_ptr<RecordContent> zero_content() { return std::make_unique<ZeroContent>(); }
std::unique_ptr<RecordContent> random_content(std::uint64_t seed) { return std::make_unique<UniformContent>(seed); }
std::unique_ptr<RecordContent> fio_write_content(const FioIoOptions& options, std::uint64_t ns_per_io) {
  return std::make_unique<FioWriteContent>(options, ns_per_io);
}

std::unique_ptr<RecordContent> fio_image_content(const FioIoOptions& options, std::uint64_t record_bytes,
                                                 std::uint64_t records) {
  return std::make_unique<FioImageContent>(options, record_bytes, records);
}

std::unique_ptr<RecordContent> fio_layout_content(const FioIoOptions& options, std::uint64_t record_bytes) {
  return std::make_unique<FioLayoutContent>(options, record_bytes);
}

Result<std::unique_ptr<RecordContent>> make_record_content(std::string_view name, std::uint64_t seed, double knob) {
  const auto within = [&](double most) -> Status {
    if (knob >= 0 && knob <= most) return ok();
    return Error{ErrorKind::usage, fmt::format("knob {} of content '{}' is not between 0 and {}", knob, name, most)};
  };
  if (name == "zeros") return zero_content();
  if (name == "urandom") return random_content(seed);
  if (name == "bitmap") {
    BLKPRESS_TRY(within(1));
    return bitmap_content(seed, knob);
  }
  if (name == "database") {
    BLKPRESS_TRY(within(0.5));
    return database_content(seed, knob);
  }
  if (name == "vm_image") {
    BLKPRESS_TRY(within(1));
    return vm_image_content(seed, knob);
  }
  if (name == "mixed_files") {
    BLKPRESS_TRY(within(1));
    return mixed_files_content(seed, knob);
  }
  return Error{
      ErrorKind::usage,
      fmt::format("content '{}' is unknown; there are zeros, urandom, bitmap, database, vm_image, mixed_files", name)};
}

}  // namespace blkpress
