#include <fmt/format.h>

#include <fstream>

#include "blkpress/corpus.hpp"
#include "measures.hpp"

namespace blkpress::bench {
namespace {

constexpr std::uint64_t kRequestBytes = kMiB, kContentBytes = 16 * kMiB;

// Linux, proc_pid_status(5): the peak of resident memory, in bytes; 0 where the system does not tell.
std::uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6)) * kKiB;
  }
  return 0;
}

// Linux, proc_pid_clear_refs(5): 5 sets the peak back to what is resident now.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace

Status measure_streaming_memory(const Setup& setup, Table& table, std::uint64_t gib, std::uint64_t record_bytes) {
  const std::string what = fmt::format("memory of streaming, records of {} KiB", record_bytes / kKiB);
  if (!setup.wants(what)) return ok();
  const std::uint64_t size = setup.quick ? 8 * kMiB : gib * kGiB;
  const std::vector<std::byte> text = generate_text(kContentBytes, 1);
  const TemporaryFile file(setup.path("bench_pool.blkp"));
  const PoolOptions options{.threads = setup.threads};
  forget_peak();
  const std::uint64_t before = peak_bytes();
  auto made = make_pool(file.path(), size + size / 8 + 64 * kMiB,
                        {{"compression", "lz4"}, {"recordsize", fmt::format("{}", record_bytes)}}, options);
  if (!made) return made.error();
  std::vector<std::byte> target(kRequestBytes);
  for (std::uint64_t at = 0; at < size; at += kRequestBytes) {
    BLKPRESS_TRY(made->object->write(at, ByteView(text).subspan(at % kContentBytes, kRequestBytes)));
  }
  BLKPRESS_TRY(made->pool->flush());
  for (std::uint64_t at = 0; at < size; at += kRequestBytes) {
    const auto got = made->object->read(at, target);
    if (!got) return got.error();
  }
  const double used = static_cast<double>(peak_bytes() - before) / static_cast<double>(kMiB);
  const double allowed =
      static_cast<double>(options.cache_bytes_max + options.dirty_bytes_max + 64 * kMiB) / static_cast<double>(kMiB);
  table.row(what + ": allowed by used", "MiB", allowed, used, 1);
  return ok();
}

}  // namespace blkpress::bench
