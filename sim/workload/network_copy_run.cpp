// network_copy: parallel streams over the network into a filesystem whose writers stand still while a transaction group
// is synced, as the write-limit throttle before OpenZFS 0.6.3 (2013) made them.
//
// The streams share the link. When as much as a group may hold has come in, they wait; the kernel's threads then spend
// the CPU time of every record and write it, and the streams go on. docs/replays.md lists the settings.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "workload/stored_batches.hpp"
#include "workload/workload_runs.hpp"

namespace blkpress::sim {

namespace {

struct NetworkCopyOptions {
  std::uint64_t streams = 1;
  double link_bytes_per_second = 0;
  double base_ns_per_byte = 0;  // kernel CPU time of everything but codecs
  std::uint64_t group_bytes = 0;
  std::string phases;  // "alternating", "overlapping"
  [[nodiscard]] bool alternating() const { return phases == "alternating"; }
};

struct NetworkCopy {
  World& world;
  StoredBatches& batches;
  const NetworkCopyOptions& options;
  Resource link;
  Condition room;
  std::vector<Process> workers;  // kernel threads, one a core
  std::uint64_t claimed = 0;     // batches that a stream has begun to receive
  std::uint64_t group_end = 0;   // batches beyond which nobody receives now
  std::uint64_t received = 0;    // batches in memory
  std::uint64_t taken = 0;       // batches that a kernel thread has taken for syncing
  std::uint64_t sync_end = 0;    // of those, which belong to the group that is synced
  std::uint64_t busy_workers = 0;
  std::uint64_t written = 0;  // bytes
  Instant on_device{};        // when all that was written is done
  bool syncing = false;
  Instant end{};
};

void start_sync_if_full(NetworkCopy& copy);

// What may be received at present: one group, and while it is synced none (alternating) or one more.
void open_next_group(NetworkCopy& copy) {
  const std::uint64_t group = copy.options.group_bytes / copy.batches.batch_bytes();
  copy.group_end = std::min(copy.batches.count(), copy.sync_end + group);
  copy.room.notify_all();
}

Task sync_worker(NetworkCopy& copy, std::size_t number) {
  World& world = copy.world;
  Processor::Thread& thread = copy.workers[number].thread;
  while (copy.taken < copy.sync_end) {
    const StoredBatch batch = copy.batches.at(copy.taken++);
    const Duration base = duration_of(copy.options.base_ns_per_byte * static_cast<double>(batch.bytes) * 1e-9);
    co_await world.processor->run(thread, base + batch.compress_time);
    if (batch.stored == 0) continue;
    const DeviceRequest write{DeviceRequest::Kind::write, copy.written, batch.stored};
    copy.written += batch.stored;
    copy.on_device = std::max(copy.on_device, world.device->complete_at(write, world.scheduler.now()));
  }
  world.processor->block(thread);
  if (--copy.busy_workers > 0) co_return;
  co_await world.scheduler.sleep_until(copy.on_device);
  copy.syncing = false;
  copy.end = world.scheduler.now();
  if (copy.options.alternating()) open_next_group(copy);
  start_sync_if_full(copy);
}

// A group is synced when it is full or the last one.
void start_sync_if_full(NetworkCopy& copy) {
  if (copy.syncing || copy.received < copy.group_end || copy.received == copy.sync_end) return;
  copy.syncing = true;
  copy.sync_end = copy.group_end;
  copy.busy_workers = copy.workers.size();
  for (std::size_t i = 0; i < copy.workers.size(); ++i) copy.world.scheduler.spawn(sync_worker(copy, i));
  if (!copy.options.alternating()) open_next_group(copy);
}

Task receive(NetworkCopy& copy) {
  while (copy.claimed < copy.batches.count()) {
    if (copy.claimed == copy.group_end) {
      co_await copy.room.wait();
      continue;
    }
    ++copy.claimed;
    co_await copy.link.acquire();
    const auto bytes = static_cast<double>(copy.batches.batch_bytes());
    co_await copy.world.scheduler.sleep_for(duration_of(bytes / copy.options.link_bytes_per_second));
    copy.link.release();
    ++copy.received;
    start_sync_if_full(copy);
  }
}

NetworkCopyOptions read_options(WorkloadSettings& settings) {
  NetworkCopyOptions options;
  options.streams = settings.count("streams", 1, 4096);
  options.link_bytes_per_second = settings.number("receive_mb_s", 0.001, 1e6) * 1e6;
  options.base_ns_per_byte = settings.number("base_ns_per_byte", 0, 1e6);
  options.group_bytes = settings.count("group_bytes", 1, kTiB);
  options.phases = settings.text("phases", "alternating");
  return options;
}

void report(const NetworkCopy& copy, WorkloadResult& result) {
  const double elapsed = std::max(1e-9, in_seconds(copy.end - Instant{}));
  Duration busy{};
  for (const Process& worker : copy.workers) busy += worker.thread.cpu_time;
  const double cores = in_seconds(busy) / elapsed;
  const double mibit = static_cast<double>(copy.batches.bytes()) / static_cast<double>(kMiB) * 8 / elapsed;
  const double written = static_cast<double>(copy.written) / elapsed / 1e6;
  result.numbers = {{"net.throughput", fmt::format("{:.0f}", mibit)},
                    {"cpu.kernel", fmt::format("{:.0f}", cores * 100)},
                    {"cpu.cores_used", fmt::format("{:.1f}", cores)},
                    {"copy.seconds", fmt::format("{:.1f}", elapsed)},
                    {"copy.written_rate", fmt::format("{:.1f}", written)}};
  copy.batches.describe(*copy.world.policy, result);
  result.text = fmt::format(
      "{} bytes received in {:.1f} s, {:.0f} Mibit/s, {:.1f} MB/s written\n{:.1f} of {} cores in the kernel, "
      "compressratio {}\n",
      copy.batches.bytes(), elapsed, mibit, written, cores, copy.world.host.cores(), result.numbers.back().value);
}

}  // namespace

Result<WorkloadResult> run_network_copy(World& world, WorkloadSettings& settings) {
  const NetworkCopyOptions options = read_options(settings);
  const auto batches = StoredBatches::make("network_copy", world, settings, kMiB);
  if (!batches) return batches.error();
  if (options.phases != "alternating" && options.phases != "overlapping") {
    return Error{ErrorKind::usage,
                 fmt::format("network_copy: phases {} is neither alternating nor overlapping", options.phases)};
  }
  const std::uint64_t batch = (*batches)->batch_bytes();
  if ((*batches)->bytes() % batch != 0 || options.group_bytes % batch != 0) {
    return Error{ErrorKind::usage,
                 fmt::format("network_copy: bytes {} and group_bytes {} are not both multiples of batch_bytes {}",
                             (*batches)->bytes(), options.group_bytes, batch)};
  }
  NetworkCopy copy{world,
                   **batches,
                   options,
                   Resource(world.scheduler, 1),
                   Condition(world.scheduler),
                   std::vector<Process>(world.host.cores())};
  open_next_group(copy);
  for (std::uint64_t i = 0; i < options.streams; ++i) world.scheduler.spawn(receive(copy));
  BLKPRESS_TRY(world.run());
  WorkloadResult result;
  report(copy, result);
  return result;
}

}  // namespace blkpress::sim
