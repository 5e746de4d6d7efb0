#include <fmt/format.h>

#include "blkpress/corpus.hpp"
#include "blkpress/ordered_pool.hpp"
#include "blkpress/zfs_policy.hpp"
#include "measures.hpp"

namespace blkpress::bench {
namespace {

constexpr std::uint64_t kRecordBytes = 128 * kKiB, kRequestBytes = kMiB;

// The content as often as it takes.
struct Stream {
  ByteView content;
  std::uint64_t bytes = 0;
  [[nodiscard]] ByteView at(std::uint64_t offset, std::uint64_t length) const {
    return content.subspan(offset % content.size(), length);
  }
};

Result<double> write_pool(const Setup& setup, const std::string& compression, const Stream& stream) {
  const TemporaryFile file(setup.path("bench_pool.blkp"));
  auto made = make_pool(file.path(), stream.bytes + stream.bytes / 8 + 64 * kMiB,
                        {{"compression", compression}, {"recordsize", "128K"}}, {.threads = setup.threads});
  if (!made) return made.error();
  const Stopwatch watch;
  for (std::uint64_t at = 0; at < stream.bytes; at += kRequestBytes) {
    BLKPRESS_TRY(made->object->write(at, stream.at(at, kRequestBytes)));
  }
  BLKPRESS_TRY(made->pool->flush());
  return watch.seconds();
}

// What the pool cannot be quicker than: each record decided, on as many threads, and nothing done with it.
Result<double> decide_only(const Setup& setup, const std::string& compression, const Stream& stream) {
  ZfsOptions options = ZfsOptions::defaults({});
  options.compression = compression_named(compression);
  options.recordsize = kRecordBytes;
  const auto policy = ZfsPolicy::make(options);
  if (!policy) return policy.error();
  std::vector<std::unique_ptr<Decider>> deciders;
  for (unsigned i = 0; i < setup.threads; ++i) deciders.push_back((*policy)->make_decider());
  OrderedPool pool(setup.threads, 3 * setup.threads);
  const Stopwatch watch;
  for (std::uint64_t at = 0; at < stream.bytes; at += kRecordBytes) {
    const ByteView record = stream.at(at, kRecordBytes);
    pool.submit([&deciders, record](unsigned worker) { deciders[worker]->decide(record, kRecordBytes); }, [] {});
  }
  BLKPRESS_TRY(pool.drain());
  return watch.seconds();
}

Result<double> write_plain(const Setup& setup, const Stream& stream) {
  const TemporaryFile file(setup.path("bench_pool.plain"));
  auto plain = open_file(file.path(), {.mode = OpenMode::create});
  if (!plain) return plain.error();
  BLKPRESS_TRY((*plain)->resize(stream.bytes));
  const Stopwatch watch;
  for (std::uint64_t at = 0; at < stream.bytes; at += kRequestBytes) {
    BLKPRESS_TRY((*plain)->write(at, stream.at(at, kRequestBytes)));
  }
  BLKPRESS_TRY((*plain)->flush());
  return watch.seconds();
}

struct Case {
  const char* content;
  const char* compression;
  std::uint64_t bytes;
  double openzfs;  // MiB/s of the userspace build of OpenZFS 2.4.4 on two cores; 0: not measured
};

constexpr Case kCases[] = {
    {"text", "off", 512 * kMiB, 0},      {"text", "lz4", 512 * kMiB, 148},   {"text", "zstd-3", 256 * kMiB, 70},
    {"text", "gzip-6", 64 * kMiB, 13},   {"random", "off", 512 * kMiB, 319}, {"random", "lz4", 512 * kMiB, 0},
    {"random", "zstd-3", 512 * kMiB, 0}, {"random", "gzip-6", 64 * kMiB, 0},
};

}  // namespace

Status measure_sequential_writes(const Setup& setup, Table& table) {
  const std::uint64_t content_bytes = setup.bytes(64 * kMiB);
  std::vector<std::byte> content;
  const char* generated = "";
  for (const Case& of : kCases) {
    const std::string what = fmt::format("sequential write, {}, {}", of.content, of.compression);
    if (!setup.wants(what)) continue;
    if (std::string_view(generated) != of.content) {
      const bool text = of.content == std::string_view("text");
      content = text ? generate_text(content_bytes, 1) : generate_random(content_bytes, 1);
      generated = of.content;
    }
    const Stream stream{content, setup.bytes(of.bytes)};
    const auto seconds = medians(setup.repetitions, {[&] { return write_pool(setup, of.compression, stream); },
                                                     [&] { return decide_only(setup, of.compression, stream); },
                                                     [&] { return write_plain(setup, stream); }});
    if (!seconds) return seconds.error();
    const double mib = static_cast<double>(stream.bytes) / static_cast<double>(kMiB);
    const double ours = mib / (*seconds)[0], policy = mib / (*seconds)[1], plain = mib / (*seconds)[2];
    table.row(fmt::format("{} ({})", what, policy < plain ? "policy" : "plain"), "MiB/s", ours, std::min(policy, plain),
              0.85);
    if (of.openzfs > 0) {
      table.row(what + ", for scale", "MiB/s", ours, std::min(3 * of.openzfs, 0.85 * policy), 1);
    }
  }
  return ok();
}

}  // namespace blkpress::bench
