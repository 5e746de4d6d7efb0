// dd: one process that reads from a source and writes into a file, block by block.
#include <fmt/format.h>

#include <algorithm>

#include "blkpress/sim/record_sampler.hpp"
#include "workload/workload_runs.hpp"

namespace blkpress::sim {

namespace {

struct DdOptions {
  std::uint64_t block_bytes = 0;
  std::uint64_t blocks = 0;
  Duration cpu_per_block{};  // read(2) of the source, write(2) into the file
};

// A record's blocks are computed at once: nothing else happens to a record before it is full.
Task dd_process(World& world, const DdOptions& options, FilesystemModel::File file, std::uint64_t records,
                Instant& end) {
  Process process;
  const std::uint64_t bytes = options.block_bytes * options.blocks;
  const std::uint64_t unit = world.policy->unit_bytes(bytes);
  for (std::uint64_t index = 0; index < records; ++index) {
    const std::uint64_t length = std::min(unit, bytes - index * unit);
    const auto blocks = static_cast<std::int64_t>((length + options.block_bytes - 1) / options.block_bytes);
    co_await world.processor->run(process.thread, options.cpu_per_block * blocks);
    co_await world.filesystem->write_record(process, file, index);
  }
  world.processor->block(process.thread);
  end = world.scheduler.now();
}

std::string dd_text(const DdOptions& options, const std::string& seconds, const std::string& rate) {
  return fmt::format("{0}+0 records in\n{0}+0 records out\n{1} bytes transferred in {2} secs ({3} bytes/sec)\n",
                     options.blocks, options.block_bytes * options.blocks, seconds, rate);
}

}  // namespace

Result<WorkloadResult> run_dd(World& world, WorkloadSettings& settings) {
  const std::string source = settings.text("source");
  DdOptions options;
  options.block_bytes = settings.count("bs", 1, kGiB);
  options.blocks = settings.count("count", 1, kTiB);
  options.cpu_per_block = duration_of(settings.number("cpu_us_per_block", 0, 1e6) * 1e-6 +
                                      settings.number("source_us_per_block", 0, 1e6, 0.0) * 1e-6);
  const std::uint64_t sample = settings.count("sample", 1, kMiB, 64);
  BLKPRESS_TRY(settings.status());
  BLKPRESS_TRY(require_records(world, "dd"));
  if (source != "zero" && source != "urandom") {
    return Error{ErrorKind::usage, fmt::format("dd: source {} is unknown; there are zero, urandom", source)};
  }
  if (options.blocks > kTiB / options.block_bytes) {
    return Error{ErrorKind::usage,
                 fmt::format("dd: {} blocks of {} bytes are more than 1 TiB", options.blocks, options.block_bytes)};
  }
  const auto content = source == "zero" ? zero_content() : random_content(world.options.seed);
  const std::uint64_t bytes = options.block_bytes * options.blocks;
  const auto sampler = RecordSampler::make(*world.policy, world.host, *content, bytes, sample);
  if (!sampler) return sampler.error();
  Instant end;
  const FilesystemModel::File file = world.filesystem->create(**sampler);
  world.scheduler.spawn(dd_process(world, options, file, (*sampler)->records(), end));
  BLKPRESS_TRY(world.run());

  WorkloadResult result;
  const std::int64_t microseconds = (end.ns + 500) / 1000;
  const std::string seconds = fmt::format("{}.{:06}", microseconds / 1'000'000, microseconds % 1'000'000);
  // dd divides by the time that it measured and truncates.
  const std::string rate =
      fmt::format("{}", bytes * 1'000'000 / static_cast<std::uint64_t>(std::max<std::int64_t>(1, microseconds)));
  result.numbers = {{"dd.count", fmt::format("{}", options.blocks)},
                    {"dd.bs", fmt::format("{}", options.block_bytes)},
                    {"dd.records_in", fmt::format("{}+0", options.blocks)},
                    {"dd.records_out", fmt::format("{}+0", options.blocks)},
                    {"dd.bytes", fmt::format("{}", bytes)},
                    {"dd.seconds", seconds},
                    {"dd.rate", rate}};
  result.text = dd_text(options, seconds, rate);
  result.files = {(*sampler)->account()};
  result.records = (*sampler)->records();
  result.records_compressed_for_real = (*sampler)->compressed_for_real();
  return result;
}

}  // namespace blkpress::sim
