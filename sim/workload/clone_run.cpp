// clone: a snapshot of a volume is copied from one device to another, as `zfs send | zfs receive` does.
//
// A stream hands out batches at its own pace; each is read from the source, decompressed if the source is compressed,
// passes the copy path (send, receive, checksums, block pointers), is compressed and written. What else the host
// computes is there too and keeps its cores. docs/replays.md lists the settings.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "workload/stored_batches.hpp"
#include "workload/workload_runs.hpp"

namespace blkpress::sim {

namespace {

struct CloneOptions {
  double stream_bytes_per_second = 0;  // 0: no limit
  double copy_ns_per_byte = 0;         // CPU time of everything but codecs
  std::string source_compression;
  std::uint64_t threads = 0;  // batches that are computed on at once
  double baseline = 0;        // share of the cores that others use
  std::string source_device;
};

struct Clone {
  World& world;
  StoredBatches& batches;
  const CloneOptions& options;
  DeviceModel& source;
  Duration decompress_time;  // of a whole batch
  Resource in_flight;
  std::vector<Process> workers;
  std::vector<std::size_t> idle;  // workers
  std::uint64_t written = 0;      // bytes on the device
  std::uint64_t open = 0;         // batches not done
  bool done = false;
  Instant end{};
};

constexpr Duration kLoadPeriod = milliseconds(100);

// One core of what else runs on the host: busy for that share of each period.
Task other_work(Clone& clone, double share) {
  Process process;
  const Duration busy = duration_of(in_seconds(kLoadPeriod) * share);
  while (!clone.done) {
    co_await clone.world.processor->run(process.thread, busy);
    if (busy == kLoadPeriod) continue;
    clone.world.processor->block(process.thread);
    co_await clone.world.scheduler.sleep_for(kLoadPeriod - busy);
  }
  clone.world.processor->block(process.thread);
}

Task copy_batch(Clone& clone, std::uint64_t index) {
  World& world = clone.world;
  const std::size_t worker = clone.idle.back();
  clone.idle.pop_back();
  Processor::Thread& thread = clone.workers[worker].thread;
  const StoredBatch batch = clone.batches.at(index);
  const DeviceRequest read{DeviceRequest::Kind::read, index * clone.batches.batch_bytes(), batch.bytes};
  co_await world.scheduler.sleep_until(clone.source.complete_at(read, world.scheduler.now()));
  const double part = static_cast<double>(batch.bytes) / static_cast<double>(clone.batches.batch_bytes());
  const Duration unpacking = duration_of(in_seconds(clone.decompress_time) * part);
  const Duration copying = duration_of(clone.options.copy_ns_per_byte * static_cast<double>(batch.bytes) * 1e-9);
  co_await world.processor->run(thread, unpacking + copying);
  co_await world.processor->run(thread, batch.compress_time);
  world.processor->block(thread);
  if (batch.stored > 0) {
    const DeviceRequest write{DeviceRequest::Kind::write, clone.written, batch.stored};
    clone.written += batch.stored;
    co_await world.scheduler.sleep_until(world.device->complete_at(write, world.scheduler.now()));
  }
  clone.idle.push_back(worker);
  clone.in_flight.release();
  if (--clone.open > 0) co_return;
  clone.done = true;
  clone.end = world.scheduler.now();
}

// Batch k is handed out no earlier than the stream's pace allows, and never more than there are workers.
Task stream(Clone& clone) {
  Scheduler& scheduler = clone.world.scheduler;
  Instant next = scheduler.now();
  for (std::uint64_t index = 0; index < clone.batches.count(); ++index) {
    co_await scheduler.sleep_until(next);
    co_await clone.in_flight.acquire();
    if (clone.options.stream_bytes_per_second > 0) {
      const auto bytes = static_cast<double>(clone.batches.batch_bytes());
      next = scheduler.now() + duration_of(bytes / clone.options.stream_bytes_per_second);
    }
    scheduler.spawn(copy_batch(clone, index));
  }
}

CloneOptions read_options(World& world, WorkloadSettings& settings) {
  CloneOptions options;
  options.stream_bytes_per_second = settings.number("stream_mb_s", 0, 1e6, 0.0) * 1e6;
  options.copy_ns_per_byte = settings.number("copy_ns_per_byte", 0, 1e6);
  options.source_compression = settings.text("source_compression", "off");
  options.baseline = settings.number("baseline_percent", 0, 99, 0.0) / 100;
  options.source_device = settings.path("source_device");
  // zio_taskq_batch_pct: three quarters of the CPUs compress, up to OpenZFS 0.8.
  const std::uint64_t usual = std::max<std::uint64_t>(1, world.host.cores() * 75 / 100);
  options.threads = settings.count("threads", 1, 4096, usual);
  return options;
}

void start_other_work(Clone& clone) {
  const double cores = clone.options.baseline * clone.world.host.cores();
  const auto whole = static_cast<std::uint64_t>(cores);
  for (std::uint64_t i = 0; i < whole; ++i) clone.world.scheduler.spawn(other_work(clone, 1));
  if (cores > static_cast<double>(whole)) {
    clone.world.scheduler.spawn(other_work(clone, cores - static_cast<double>(whole)));
  }
}

void report(const Clone& clone, WorkloadResult& result) {
  const double elapsed = std::max(1e-9, in_seconds(clone.end - Instant{}));
  Duration busy{};
  for (const Process& worker : clone.workers) busy += worker.thread.cpu_time;
  const double percent = in_seconds(busy) / (elapsed * clone.world.host.cores()) * 100;
  const double rate = static_cast<double>(clone.batches.bytes()) / elapsed / 1e6;
  const double written = static_cast<double>(clone.written) / elapsed / 1e6;
  result.numbers = {{"cpu.incremental", fmt::format("{:.1f}", percent)},
                    {"copy.seconds", fmt::format("{:.1f}", elapsed)},
                    {"copy.rate", fmt::format("{:.1f}", rate)},
                    {"copy.written_rate", fmt::format("{:.1f}", written)}};
  clone.batches.describe(*clone.world.policy, result);
  result.text = fmt::format(
      "{} bytes copied in {:.1f} s, {:.1f} MB/s read, {:.1f} MB/s written\n"
      "{:.1f} % of {} CPUs beside the {:.0f} % that others use, compressratio {}\n",
      clone.batches.bytes(), elapsed, rate, written, percent, clone.world.host.cores(), clone.options.baseline * 100,
      result.numbers.back().value);
}

}  // namespace

Result<WorkloadResult> run_clone(World& world, WorkloadSettings& settings) {
  const CloneOptions options = read_options(world, settings);
  const auto batches = StoredBatches::make("clone", world, settings, kMiB);
  if (!batches) return batches.error();
  const auto source = load_device(options.source_device);
  if (!source) return source.error();
  const auto compression = parse_compression(options.source_compression);
  if (!compression) return Error{ErrorKind::usage, "clone: source_compression: " + compression.error().message};
  Duration decompress_time{};
  if (!compression->is_off()) {
    const auto time = world.host.decompress_time(*compression, (*batches)->cost_class(), (*batches)->batch_bytes());
    if (!time) return time.error();
    decompress_time = *time;
  }
  Clone clone{world,
              **batches,
              options,
              **source,
              decompress_time,
              Resource(world.scheduler, static_cast<std::uint32_t>(options.threads)),
              std::vector<Process>(options.threads),
              {}};
  clone.open = (*batches)->count();
  clone.done = clone.open == 0;
  for (std::size_t i = 0; i < options.threads; ++i) clone.idle.push_back(i);
  start_other_work(clone);
  world.scheduler.spawn(stream(clone));
  BLKPRESS_TRY(world.run());
  WorkloadResult result;
  report(clone, result);
  return result;
}

}  // namespace blkpress::sim
