// cp: one process that copies a file which lies in memory. It ends when the copy is in memory, long before the records
// are compressed and written; that is why compression does not show in its times.
#include <fmt/format.h>

#include <algorithm>

#include "blkpress/sim/record_sampler.hpp"
#include "workload/workload_runs.hpp"

namespace blkpress::sim {

namespace {

struct CpOptions {
  std::uint64_t bytes = 0;
  Duration system_per_record{};  // read(2) and write(2) of one record
  Duration user{};               // cp's own code, in all
};

Task cp_process(World& world, const CpOptions& options, FilesystemModel::File file, std::uint64_t records,
                Instant& end) {
  Process process;
  co_await world.processor->run(process.thread, options.user);
  for (std::uint64_t index = 0; index < records; ++index) {
    co_await world.processor->run(process.thread, options.system_per_record);
    co_await world.filesystem->write_record(process, file, index);
  }
  world.processor->block(process.thread);
  end = world.scheduler.now();
}

// As csh's time prints it: elapsed in minutes, seconds and hundredths, truncated.
std::string elapsed_text(Duration elapsed) {
  const std::int64_t hundredths = elapsed.ns / 10'000'000;
  return fmt::format("{}:{:02}.{:02}", hundredths / 6000, hundredths / 100 % 60, hundredths % 100);
}

}  // namespace

Result<WorkloadResult> run_cp(World& world, WorkloadSettings& settings) {
  CpOptions options;
  const std::string content_name = settings.text("content");
  const double knob = settings.number("knob", 0, 1e9, 0.0);
  options.bytes = settings.count("bytes", 1, kTiB);
  const double system_ns_per_byte = settings.number("system_ns_per_byte", 0, 1e6);
  options.user = duration_of(settings.number("user_ms", 0, 1e6, 0.0) * 1e-3);
  const std::uint64_t sample = settings.count("sample", 1, kMiB, 256);
  BLKPRESS_TRY(settings.status());
  BLKPRESS_TRY(require_records(world, "cp"));
  auto content = make_record_content(content_name, world.options.seed, knob);
  if (!content) return content.error();
  const auto sampler = RecordSampler::make(*world.policy, world.host, **content, options.bytes, sample);
  if (!sampler) return sampler.error();
  options.system_per_record =
      duration_of(system_ns_per_byte * 1e-9 * static_cast<double>(world.policy->unit_bytes(options.bytes)));
  Instant end;
  const FilesystemModel::File file = world.filesystem->create(**sampler);
  world.scheduler.spawn(cp_process(world, options, file, (*sampler)->records(), end));
  BLKPRESS_TRY(world.run());

  const Duration elapsed = end - Instant{};
  const Duration system = options.system_per_record * static_cast<std::int64_t>((*sampler)->records());
  const std::string user_text = fmt::format("{:.3f}", in_seconds(options.user));
  const std::string system_text = fmt::format("{:.3f}", in_seconds(system));
  const double busy = in_seconds(options.user + system) / std::max(1e-9, in_seconds(elapsed)) * 100;
  WorkloadResult result;
  // No block is read or written by the process itself, and nothing is swapped: the file lies in memory.
  result.numbers = {{"time.user", user_text},
                    {"time.sys", system_text},
                    {"time.elapsed", elapsed_text(elapsed)},
                    {"time.cpu", fmt::format("{:.1f}", busy)},
                    {"time.io_in", "0"},
                    {"time.io_out", "0"},
                    {"time.pagefaults", "0"},
                    {"time.swaps", "0"}};
  result.text = fmt::format("{}u {}s {} {:.1f}% 0+0io 0pf+0w\n", user_text, system_text, elapsed_text(elapsed), busy);
  result.files = {(*sampler)->account()};
  result.records = (*sampler)->records();
  result.records_compressed_for_real = (*sampler)->compressed_for_real();
  return result;
}

}  // namespace blkpress::sim
