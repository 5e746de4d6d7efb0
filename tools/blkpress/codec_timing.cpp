#include "blkpress/codec_timing.hpp"

#include <time.h>

#include <algorithm>
#include <optional>
#include <string>

namespace blkpress::tool {
namespace {

std::int64_t thread_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// One record under one codec. What fits is kept; what does not is compressed a second time, into all the room it asks
// for, so that its decompression can be timed too.
struct Timing {
  ByteView record;
  std::vector<std::byte> compressed;  // empty: the codec never made any
  std::int64_t compress_ns = INT64_MAX;
  std::int64_t decompress_ns = INT64_MAX;
};

struct Pair {
  Compression compression;
  const ContentSample* sample;
  std::unique_ptr<CodecContext> context;
  std::vector<Timing> timings;
};

std::vector<std::byte> compress_at_any_size(CodecContext& context, ByteView record) {
  std::vector<std::byte> target(record.size() * 2);
  const std::optional<std::size_t> size = context.compress(record, target);
  target.resize(size.value_or(0));
  return target;
}

void time_once(CodecContext& context, Timing& timing, std::vector<std::byte>& target) {
  // OpenZFS asks a codec to save an eighth, and gives it no more room than that (module/zfs/zio_compress.c).
  const ByteSpan room = ByteSpan(target).first(timing.record.size() - timing.record.size() / 8);
  const std::int64_t start = thread_cpu_ns();
  static_cast<void>(context.compress(timing.record, room));
  timing.compress_ns = std::min(timing.compress_ns, thread_cpu_ns() - start);
  if (timing.compressed.empty()) return;
  const ByteSpan whole = ByteSpan(target).first(timing.record.size());
  const std::int64_t again = thread_cpu_ns();
  const Status status = context.decompress(timing.compressed, whole);
  timing.decompress_ns = std::min(timing.decompress_ns, thread_cpu_ns() - again);
  BLKPRESS_ASSERT(status.has_value());
}

sim::CodecCost cost_of(const Pair& pair) {
  double compress = 0;
  double decompress = 0;
  std::size_t decompressed = 0;
  for (const Timing& timing : pair.timings) {
    compress += static_cast<double>(timing.compress_ns);
    if (timing.compressed.empty()) continue;
    decompress += static_cast<double>(timing.decompress_ns);
    ++decompressed;
  }
  const auto bytes = static_cast<double>(pair.sample->record_bytes);
  return {pair.compression, std::string(pair.sample->name), compress / static_cast<double>(pair.timings.size()) / bytes,
          decompressed == 0 ? 0.0 : decompress / static_cast<double>(decompressed) / bytes};
}

}  // namespace

std::vector<sim::CodecCost> time_codecs(std::span<const Compression> compressions,
                                        std::span<const ContentSample> samples, std::uint64_t repetitions,
                                        void (*progress)(std::uint64_t repetition)) {
  std::vector<Pair> pairs;
  for (const Compression& compression : compressions) {
    for (const ContentSample& sample : samples) {
      Pair pair{compression, &sample, compression.make_context(), {}};
      for (std::size_t i = 0; i < sample.records(); ++i) {
        Timing timing;
        timing.record = sample.record(i);
        timing.compressed = compress_at_any_size(*pair.context, timing.record);
        pair.timings.push_back(std::move(timing));
      }
      pairs.push_back(std::move(pair));
    }
  }
  std::vector<std::byte> target(kSampleRecordBytes);
  for (std::uint64_t repetition = 0; repetition < repetitions; ++repetition) {
    progress(repetition);
    for (Pair& pair : pairs) {
      for (Timing& timing : pair.timings) time_once(*pair.context, timing, target);
    }
  }
  std::vector<sim::CodecCost> costs;
  for (const Pair& pair : pairs) costs.push_back(cost_of(pair));
  return costs;
}

}  // namespace blkpress::tool
