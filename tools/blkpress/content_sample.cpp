#include "blkpress/content_sample.hpp"

#include <algorithm>

#include "blkpress/corpus.hpp"
#include "blkpress/fio_buffers.hpp"
#include "blkpress/mixed_files.hpp"
#include "blkpress/record_content.hpp"
#include "blkpress/result.hpp"
#include "blkpress/vm_image.hpp"

namespace blkpress::tool {
namespace {

// Any seed will do; it is fixed so that a table can be measured again.
constexpr std::uint64_t kSeed = 20220118;
constexpr double kVolumeKnob = 0.065;  // data/experiments/zvol-clone
constexpr double kFilesKnob = 0.6;     // data/experiments/rsync-zfs

FioIoOptions fio_job(FioFill fill, bool reads) {
  FioIoOptions options;
  options.access.reads = reads;
  options.access.writes = !reads;
  options.access.size = kGiB;
  for (FioBlockSizes& sizes : options.access.block_sizes) sizes = {kSampleRecordBytes, kSampleRecordBytes, {}};
  options.content.fill = fill;
  BLKPRESS_ASSERT(check(options).has_value());
  return options;
}

// What `fio --rw=read --bs=128k` lays out before it reads: every block filled anew, nothing scrambled.
std::vector<std::byte> fio_layout_blocks(FioFill fill, std::size_t records) {
  const auto content = fio_layout_content(fio_job(fill, true), kSampleRecordBytes);
  std::vector<std::byte> bytes(records * kSampleRecordBytes);
  for (std::size_t i = 0; i < records; ++i) {
    content->fill(i, ByteSpan(bytes).subspan(i * kSampleRecordBytes, kSampleRecordBytes));
  }
  return bytes;
}

// What `fio --rw=write --bs=128k` hands to write(2): a buffer that each job fills once, with the offset and the time
// scrambled into every 512 bytes of it for each write. Every record is of another job, for the fill decides much of
// what a codec makes of it. The times are those of a run that writes 140 MiB/s.
std::vector<std::byte> fio_job_buffers(FioFill fill, std::size_t records) {
  FioIoOptions options = fio_job(fill, false);
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < records; ++i) {
    options.seeding.job = static_cast<std::uint32_t>(i + 1);
    FioBuffers buffers(options, false);
    const std::uint32_t buffer = buffers.acquire();
    const FioIo io{FioDirection::write, i * 511 * kSampleRecordBytes % kGiB, kSampleRecordBytes, 0};
    buffers.prepare(buffer, io, FioTime{1000 + i, i * 892'857});
    const ByteView written = buffers.bytes(buffer);
    bytes.insert(bytes.end(), written.begin(), written.end());
  }
  return bytes;
}

// Evenly spread over the picture, whose ends are alike.
std::vector<std::byte> bitmap_records(std::size_t records) {
  const std::vector<std::byte> picture = generate_gradient_bitmap();
  const std::size_t last = picture.size() - kSampleRecordBytes;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < records; ++i) {
    const auto from = picture.begin() + static_cast<std::ptrdiff_t>(last * i / records);
    bytes.insert(bytes.end(), from, from + static_cast<std::ptrdiff_t>(kSampleRecordBytes));
  }
  return bytes;
}

// One record in each zone of 1 MiB, for a zone holds one kind of file. No zeros: no codec sees them. The knobs are
// those of the experiments.
ContentSample spread_records(std::string_view name, RecordContent& content, std::size_t records,
                             std::size_t record_bytes) {
  ContentSample sample{name, std::vector<std::byte>(records * record_bytes), record_bytes};
  const std::size_t step = kMiB / record_bytes + 1;
  for (std::size_t i = 0, index = 0; i < records; index += step) {
    const ByteSpan record = ByteSpan(sample.bytes).subspan(i * record_bytes, record_bytes);
    content.fill(index, record);
    if (!all_zero(record)) ++i;
  }
  return sample;
}

}  // namespace

std::vector<ContentSample> content_samples(std::size_t records) {
  const std::size_t size = records * kSampleRecordBytes;
  std::vector<ContentSample> samples;
  samples.push_back({"fio-3.29", fio_job_buffers(FioFill::up_to_3_30, records)});
  samples.push_back({"fio-3.33", fio_job_buffers(FioFill::since_3_32, records)});
  samples.push_back({"fio-3.29-layout", fio_layout_blocks(FioFill::up_to_3_30, records)});
  samples.push_back({"fio-3.33-layout", fio_layout_blocks(FioFill::since_3_32, records)});
  samples.push_back({"urandom", generate_random(size, kSeed)});
  samples.push_back({"zeros", std::vector<std::byte>(size)});
  samples.push_back({"text", generate_text(size, kSeed)});
  samples.push_back({"database", generate_database_pages(size, kSeed)});
  samples.push_back({"bitmap", bitmap_records(records)});
  // Zones are of a kind each: fewer than these would not have every kind in its share.
  const std::size_t zones = std::max<std::size_t>(records, 128);
  samples.push_back(spread_records("vm-image", *vm_image_content(kSeed, kVolumeKnob), zones, 8192));
  samples.push_back(spread_records("mixed-files", *mixed_files_content(kSeed, kFilesKnob), zones, kSampleRecordBytes));
  return samples;
}

}  // namespace blkpress::tool
