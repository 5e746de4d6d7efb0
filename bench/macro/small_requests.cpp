#include <fmt/format.h>

#include <atomic>
#include <set>
#include <thread>

#include "blkpress/corpus.hpp"
#include "blkpress/random.hpp"
#include "measures.hpp"

namespace blkpress::bench {
namespace {

constexpr std::uint64_t kBlockBytes = 4 * kKiB, kRecordBytes = 128 * kKiB;

// lz4, counted: a pool takes codecs from outside the library.
std::atomic<std::uint64_t> compress_calls{0};

class CountedContext final : public CodecContext {
 public:
  std::optional<std::size_t> compress(ByteView source, ByteSpan target) override {
    ++compress_calls;
    return lz4_->compress(source, target);
  }
  Status decompress(ByteView source, ByteSpan target) override { return lz4_->decompress(source, target); }

 private:
  std::unique_ptr<CodecContext> lz4_ = compression_named("lz4").make_context();
};

const CodecInfo kCounted = {
    .name = "counted",
    .description = "lz4, counted",
    .library = "own",
    .library_version = [] { return std::string(); },
    .levels = {},
    .default_level = 0,
    .make_context = [](int) -> std::unique_ptr<CodecContext> { return std::make_unique<CountedContext>(); }};

Status read_blocks(PoolObject& object, std::uint64_t blocks, std::uint64_t reads, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::byte> target(kBlockBytes);
  for (std::uint64_t i = 0; i < reads; ++i) {
    const auto got = object.read(random.below(blocks) * kBlockBytes, target);
    if (!got) return got.error();
  }
  return ok();
}

Result<double> read_on_threads(PoolObject& object, std::uint64_t blocks, std::uint64_t reads, unsigned threads) {
  std::vector<std::thread> running;
  std::vector<Status> done(threads);
  const Stopwatch watch;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back([&, i] { done[i] = read_blocks(object, blocks, reads, i); });
  }
  for (std::thread& thread : running) thread.join();
  const double seconds = watch.seconds();
  for (const Status& status : done) BLKPRESS_TRY(status);
  return seconds;
}

// Block numbers to be written: at random, or one behind the other.
std::vector<std::uint64_t> blocks_in_order(std::uint64_t count, std::uint64_t blocks, bool at_random) {
  Random random(3);
  std::vector<std::uint64_t> order(count);
  for (std::uint64_t i = 0; i < count; ++i) order[i] = at_random ? random.below(blocks) : i % blocks;
  return order;
}

Result<double> write_flushed(BlockFile& file, const std::vector<std::uint64_t>& order, ByteView content) {
  const Stopwatch watch;
  for (const std::uint64_t block : order) {
    BLKPRESS_TRY(file.write(block * kBlockBytes, content.subspan(block * kBlockBytes % content.size(), kBlockBytes)));
    BLKPRESS_TRY(file.flush());
  }
  return watch.seconds();
}

}  // namespace

Status measure_cached_reads(const Setup& setup, Table& table) {
  const std::uint64_t size = setup.bytes(32 * kMiB), reads = setup.count(1'000'000);
  for (const unsigned threads : {1U, setup.threads}) {
    const std::string what =
        fmt::format("4 KiB random reads from cache, {} thread{}", threads, threads == 1 ? "" : "s");
    if (!setup.wants(what)) continue;
    const TemporaryFile file(setup.path("bench_pool.blkp"));
    auto made = make_pool(file.path(), size + 64 * kMiB, {{"compression", "lz4"}}, {.threads = setup.threads});
    if (!made) return made.error();
    BLKPRESS_TRY(made->object->write(0, generate_text(size, 1)));
    BLKPRESS_TRY(made->pool->flush());
    const auto seconds =
        medians(setup.repetitions,
                {[&, threads] { return read_on_threads(*made->object, size / kBlockBytes, reads, threads); }});
    if (!seconds) return seconds.error();
    table.row(what, "k/s/core", static_cast<double>(reads) / (*seconds)[0] / 1000, 500, 1);
    if (threads == setup.threads) break;
  }
  return ok();
}

Status measure_overwrites(const Setup& setup, Table& table) {
  const std::string what = "4 KiB random overwrites: records by compressions";
  if (!setup.wants(what)) return ok();
  const std::uint64_t size = setup.bytes(24 * kMiB), writes = setup.count(20'000);
  const TemporaryFile file(setup.path("bench_pool.blkp"));
  auto made = make_pool(file.path(), size * 4 + 64 * kMiB, {{"compression", "counted"}, {"recordsize", "128K"}},
                        {.threads = setup.threads, .codecs = {&kCounted}});
  if (!made) return made.error();
  const std::vector<std::byte> text = generate_text(size, 1);
  BLKPRESS_TRY(made->object->write(0, text));
  BLKPRESS_TRY(made->pool->flush());
  std::set<std::uint64_t> records;
  const auto order = blocks_in_order(writes, size / kBlockBytes, true);
  for (const std::uint64_t block : order) records.insert(block / (kRecordBytes / kBlockBytes));
  const auto overwrite = [&]() -> Result<double> {
    const Stopwatch watch;
    for (const std::uint64_t block : order) {
      BLKPRESS_TRY(made->object->write(block * kBlockBytes, ByteView(text).subspan(block * kBlockBytes, kBlockBytes)));
    }
    BLKPRESS_TRY(made->pool->flush());
    return watch.seconds();
  };
  compress_calls = 0;
  const auto seconds = medians(setup.repetitions, {overwrite});
  if (!seconds) return seconds.error();
  // Each run is one group: its writes are more than the intent log takes.
  const double calls = static_cast<double>(compress_calls) / setup.repetitions;
  table.row(what, "", static_cast<double>(records.size()), calls, 1);
  table.note("4 KiB random overwrites, flushed once at the end",
             fmt::format("{:.1f} k/s, {:.4f} compressions a write", static_cast<double>(writes) / (*seconds)[0] / 1000,
                         calls / static_cast<double>(writes)));
  return ok();
}

Status measure_synchronous_writes(const Setup& setup, Table& table) {
  const std::uint64_t size = setup.bytes(64 * kMiB), writes = setup.count(3000);
  std::vector<std::byte> text;
  struct Case {
    bool at_random;
    const char* record;
  };
  for (const auto& [at_random, record] : {Case{false, "128K"}, Case{true, "16K"}, Case{true, "128K"}}) {
    const std::string what =
        fmt::format("synchronous 4 KiB writes, {}, records of {}", at_random ? "random" : "in order", record);
    if (!setup.wants(what)) continue;
    if (text.empty()) text = generate_text(size, 1);
    const TemporaryFile pool_file(setup.path("bench_pool.blkp")), plain_file(setup.path("bench_pool.plain"));
    auto made = make_pool(pool_file.path(), setup.quick ? 64 * kMiB : 4 * kGiB,
                          {{"compression", "lz4"}, {"recordsize", record}}, {.threads = setup.threads});
    if (!made) return made.error();
    BLKPRESS_TRY(made->object->write(0, text));
    BLKPRESS_TRY(made->pool->flush());
    auto plain = open_file(plain_file.path(), {.mode = OpenMode::create});
    if (!plain) return plain.error();
    BLKPRESS_TRY((*plain)->write(0, text));
    BLKPRESS_TRY((*plain)->flush());
    const auto order = blocks_in_order(writes, size / kBlockBytes, at_random);
    const auto seconds = medians(setup.repetitions, {[&] { return write_flushed(*made->object, order, text); },
                                                     [&] { return write_flushed(**plain, order, text); }});
    if (!seconds) return seconds.error();
    const auto per_second = [&](double of) { return static_cast<double>(writes) / of; };
    table.row(what, "/s", per_second((*seconds)[0]), per_second((*seconds)[1]), 0.5);
  }
  return ok();
}

}  // namespace blkpress::bench
