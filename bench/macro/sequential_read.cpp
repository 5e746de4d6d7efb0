#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>

#include "blkpress/corpus.hpp"
#include "blkpress/zfs_policy.hpp"
#include "measures.hpp"

namespace blkpress::bench {
namespace {

constexpr std::uint64_t kRecordBytes = 128 * kKiB, kRequestBytes = 128 * kKiB, kSectorBytes = 4 * kKiB;

// What a pool stores for the records, in a plain file one behind the other.
struct StoredRecord {
  std::uint64_t offset = 0;
  std::uint32_t bytes = 0;
  bool compressed = false;
  XXH128_hash_t checksum = {};
};

Result<std::vector<StoredRecord>> store_plain(BlockFile& file, const std::string& compression, ByteView content) {
  ZfsOptions options = ZfsOptions::defaults({});
  options.compression = compression_named(compression);
  options.recordsize = kRecordBytes;
  const auto policy = ZfsPolicy::make(options);
  if (!policy) return policy.error();
  const auto decider = (*policy)->make_decider();
  std::vector<StoredRecord> records;
  std::uint64_t end = 0;
  for (std::uint64_t at = 0; at < content.size(); at += kRecordBytes) {
    const RecordFinding finding = decider->decide(content.subspan(at, kRecordBytes), kRecordBytes);
    const ByteView stored = decider->stored();
    BLKPRESS_TRY(file.write(end, stored));
    records.push_back({end, static_cast<std::uint32_t>(stored.size()), finding.outcome.kind == RecordKind::compressed,
                       XXH3_128bits(stored.data(), stored.size())});
    end = round_up(end + stored.size(), kSectorBytes);
  }
  BLKPRESS_TRY(file.flush());
  return records;
}

// Into a buffer of one request, as a caller of the pool has it.
Result<double> read_plain(BlockFile& file, const std::string& compression, const std::vector<StoredRecord>& records) {
  const auto codec = compression_named(compression).make_context();
  std::vector<std::byte> stored(kRecordBytes), target(kRecordBytes);
  const Stopwatch watch;
  for (const StoredRecord& record : records) {
    const ByteSpan bytes = record.compressed ? ByteSpan(stored).first(record.bytes) : ByteSpan(target);
    const auto got = file.read(record.offset, bytes);
    if (!got) return got.error();
    if (!XXH128_isEqual(XXH3_128bits(bytes.data(), bytes.size()), record.checksum)) {
      return Error{ErrorKind::corrupt, "plain file does not match its checksums"};
    }
    if (record.compressed) BLKPRESS_TRY(codec->decompress(bytes, target));
  }
  return watch.seconds();
}

Result<double> read_pool(const Setup& setup, const std::string& path, std::uint64_t size) {
  auto opened = reopen_pool(path, {.threads = setup.threads});
  if (!opened) return opened.error();
  std::vector<std::byte> target(kRequestBytes);
  const Stopwatch watch;
  for (std::uint64_t at = 0; at < size; at += kRequestBytes) {
    const auto got = opened->object->read(at, target);
    if (!got) return got.error();
  }
  return watch.seconds();
}

// Text of 64 MiB as often as it takes: that is longer than any cache.
std::vector<std::byte> make_content(std::string_view name, std::uint64_t size) {
  if (name == "random") return generate_random(size, 1);
  std::vector<std::byte> text = generate_text(std::min(size, 64 * kMiB), 1);
  const std::size_t period = text.size();
  text.resize(size);
  for (std::size_t at = period; at < size; ++at) text[at] = text[at - period];
  return text;
}

}  // namespace

Status measure_sequential_reads(const Setup& setup, Table& table) {
  const std::uint64_t size = setup.bytes(256 * kMiB);
  for (const char* name : {"text", "random"}) {
    std::vector<std::byte> content;
    for (const char* compression : {"off", "lz4", "zstd-3", "gzip-6"}) {
      const std::string what = fmt::format("sequential read, {}, {}", name, compression);
      if (!setup.wants(what)) continue;
      if (content.empty()) content = make_content(name, size);
      const TemporaryFile pool_file(setup.path("bench_pool.blkp")), plain_file(setup.path("bench_pool.plain"));
      auto made = make_pool(pool_file.path(), size + size / 8 + 64 * kMiB,
                            {{"compression", compression}, {"recordsize", "128K"}}, {.threads = setup.threads});
      if (!made) return made.error();
      BLKPRESS_TRY(made->object->write(0, content));
      made->object.reset();
      BLKPRESS_TRY(made->pool->close());
      made->pool.reset();
      auto plain = open_file(plain_file.path(), {.mode = OpenMode::create});
      if (!plain) return plain.error();
      const auto records = store_plain(**plain, compression, content);
      if (!records) return records.error();
      const auto seconds = medians(setup.repetitions, {[&] { return read_pool(setup, pool_file.path(), size); },
                                                       [&] { return read_plain(**plain, compression, *records); }});
      if (!seconds) return seconds.error();
      const double mib = static_cast<double>(size) / static_cast<double>(kMiB);
      table.row(what, "MiB/s", mib / (*seconds)[0], mib / (*seconds)[1], 0.85);
    }
  }
  return ok();
}

}  // namespace blkpress::bench
