// fio: the jobs of a job file, each a process in a closed loop.
#include <fmt/format.h>

#include <charconv>
#include <deque>
#include <map>

#include "blkpress/fio_buffers.hpp"
#include "blkpress/sim/fio_job.hpp"
#include "blkpress/sim/record_sampler.hpp"
#include "blkpress/text_file.hpp"
#include "workload/fio_buffered.hpp"
#include "workload/fio_limits.hpp"
#include "workload/workload_runs.hpp"

namespace blkpress::sim {

namespace {

struct FioSettings {
  Duration user_per_io{};    // fio's own code between two I/Os
  Duration system_per_io{};  // as getrusage(2) counts; the part that delays an I/O is the filesystem's copy time
  Duration fork_stagger{};   // from the start of one job to the next
  std::uint64_t sample = 0;  // records of a file that are compressed for real
  // What lies in memory when a job starts that reads: so many bytes of the last file, for good. Unset: what the cache
  // kept of the files while fio laid them out, and it evicts.
  std::optional<std::uint64_t> resident;
  // As fio names the block devices below the file: the stacked one, if there is one, and the one below it.
  std::string stacked_disk;
  std::string disk;
};

// One job: its file, its process, its statistics.
struct RunningJob {
  const FioJob* job;
  std::unique_ptr<RecordContent> content;         // of its writes
  std::unique_ptr<RecordContent> layout_content;  // of its file before it starts, when it reads
  std::unique_ptr<RecordSampler> records;
  std::unique_ptr<RecordSampler> layout;
  FilesystemModel::File file = 0;
  Process process;
  std::optional<FioJobStatistics> statistics;
  // On a filesystem behind the page cache.
  std::unique_ptr<PlainPages> pages;
  std::unique_ptr<FioBufferedJob> buffered;
};

// One I/O, record by record.
Task do_io(World& world, RunningJob& running, const FioIo& io) {
  const std::uint64_t record = world.record_bytes();
  const std::uint64_t end = io.offset + io.length;
  for (std::uint64_t at = io.offset; at < end;) {
    const std::uint64_t index = at / record;
    const auto bytes = static_cast<std::uint32_t>(std::min(end, (index + 1) * record) - at);
    if (io.direction == FioDirection::read) {
      co_await world.filesystem->read_part(running.process, running.file, index, bytes);
    } else {
      co_await world.filesystem->write_part(running.process, running.file, index, bytes);
    }
    at += bytes;
  }
}

// An asynchronous engine's I/O that is done and that fio has not asked for yet: zfs does it within io_submit(2), so the
// queue is full of I/Os that are complete.
struct DoneIo {
  FioIo io;
  Instant submitted;
  Instant returned;
};

void reap_oldest(RunningJob& running, std::deque<DoneIo>& done, Instant now) {
  const DoneIo oldest = done.front();
  done.pop_front();
  running.statistics->record(oldest.io.direction, oldest.returned, now, oldest.io.length,
                             oldest.returned - oldest.submitted);
}

void count_io(RunningJob& running, std::deque<DoneIo>& done, const DoneIo& io) {
  FioJobStatistics& statistics = *running.statistics;
  if (!running.job->asynchronous) {
    statistics.record(io.io.direction, io.submitted, io.returned, io.io.length);
    return;
  }
  done.push_back(io);
  statistics.count_depth(done.size());
  statistics.count_submit(1);
  if (done.size() < running.job->iodepth) return;
  statistics.count_complete(1);
  reap_oldest(running, done, io.returned);
}

Task fio_process(World& world, RunningJob& running, const FioSettings& settings, FioProgress& progress) {
  const Instant begin = world.scheduler.now();
  const auto runtime = nanoseconds(static_cast<std::int64_t>(running.job->runtime_ns));
  FioOffsets offsets(running.job->io);
  std::deque<DoneIo> done;
  while (const std::optional<FioIo> io = offsets.next()) {
    const Instant start = world.scheduler.now();
    if ((runtime.ns > 0 && start - begin >= runtime) || !progress.go_on(start)) break;
    co_await do_io(world, running, *io);
    count_io(running, done, {*io, start, world.scheduler.now()});
    running.statistics->add_cpu(settings.user_per_io, settings.system_per_io);
    co_await world.processor->run(running.process.thread, settings.user_per_io);
  }
  world.processor->block(running.process.thread);
  if (!done.empty()) running.statistics->count_complete(done.size());
  while (!done.empty()) reap_oldest(running, done, world.scheduler.now());
  const Processor::Thread& thread = running.process.thread;
  running.statistics->add_context_switches(thread.voluntary_switches + thread.involuntary_switches);
  running.statistics->finish(world.scheduler.now());
}

// Before its jobs start, fio writes the files that they will read, one after another, and waits for each to be on disk
// (create_fsync=1).
Task lay_out_files(World& world, std::deque<RunningJob>& jobs) {
  Process process;
  for (RunningJob& running : jobs) {
    if (!running.layout) continue;
    running.file = world.filesystem->create(*running.layout);
    for (std::uint64_t index = 0; index < running.layout->records(); ++index) {
      co_await world.filesystem->write_record(process, running.file, index);
    }
    co_await world.filesystem->sync(process);
  }
  world.processor->block(process.thread);
}

// command: fio's command line instead of a job file's path.
Result<FioJobs> read_jobs(const std::string& path, bool command, const std::string& version) {
  unsigned minor = 0;
  const char* const end = version.data() + version.size();
  const bool major_3 = version.starts_with("3.");
  if (!major_3 || std::from_chars(version.data() + 2, end, minor) != std::from_chars_result{end, std::errc{}} ||
      minor > 1000) {
    return Error{ErrorKind::usage, fmt::format("fio version {} is not 3.<number>", version)};
  }
  FioParse parse;
  parse.fill = fio_fill_of_3(static_cast<int>(minor));
  if (command) return parse_fio_command(path, parse);
  const auto text = read_text_file(path, "job file");
  if (!text) return text.error();
  return parse_fio_file(*text, path, parse);
}

// A size as job files spell it: "128k", "1G".
std::string size_option(std::uint64_t bytes) {
  if (bytes % kGiB == 0) return fmt::format("{}G", bytes / kGiB);
  if (bytes % kMiB == 0) return fmt::format("{}m", bytes / kMiB);
  if (bytes % kKiB == 0) return fmt::format("{}k", bytes / kKiB);
  return fmt::format("{}", bytes);
}

std::string printed_rw(const FioAccess& access) {
  const std::string what = access.reads && access.writes ? "rw" : access.reads ? "read" : "write";
  return (access.random ? "rand" : "") + what;
}

// What the job file asked for, as parsed.
std::vector<PrintedNumber> printed_options(const std::vector<FioJob>& jobs) {
  const FioJob& job = jobs.front();
  const std::size_t direction = job.io.access.writes ? 1 : 0;
  return {{"fio.option.bs", size_option(job.io.access.block_sizes[direction].max)},
          {"fio.option.iodepth", fmt::format("{}", job.iodepth)},
          {"fio.option.numjobs", fmt::format("{}", jobs.size())},
          {"fio.option.size", size_option(job.io.access.size)},
          {"fio.option.direct", job.direct ? "1" : "0"},
          {"fio.option.ioengine", job.engine},
          {"fio.option.rw", printed_rw(job.io.access)},
          {"fio.option.ba",
           size_option(job.io.access.block_align[direction].value_or(job.io.access.block_sizes[direction].min))},
          {"fio.option.randrepeat", job.io.seeding.randrepeat ? "1" : "0"},
          {"fio.option.gtod_reduce", job.gtod_reduce ? "1" : "0"}};
}

Error too_many_ios(const std::string& path) {
  return {ErrorKind::usage, fmt::format("{}: the jobs issue more than the {} I/Os that are simulated", path, kMostIos)};
}

Result<std::deque<RunningJob>> prepare(World& world, const FioJobs& jobs, const FioSettings& settings,
                                       const std::string& path) {
  std::uint64_t bytes = 0;
  for (const FioJob& job : jobs.jobs) bytes += std::min(job.io.access.offset + job.io.access.size, kTiB);
  if (bytes / world.record_bytes() > kMostRecords) {
    return Error{ErrorKind::usage, fmt::format("the jobs' files have {} records, more than the {} that are simulated",
                                               bytes / world.record_bytes(), kMostRecords)};
  }
  std::uint64_t ios = 0;
  for (const FioJob& job : jobs.jobs) {
    const std::uint64_t total = FioOffsets(job.io).total_bytes();
    const FioAccess& access = job.io.access;
    const std::uint64_t block = access.reads ? access.block_sizes[0].max : access.block_sizes[1].max;
    if (job.runtime_ns == 0) ios += std::min(total / block, kMostIos + 1);
  }
  if (ios > kMostIos) return too_many_ios(path);
  // What each job's content keeps in memory: a buffer, or the sample.
  std::uint64_t buffers = 0;
  for (const FioJob& job : jobs.jobs) {
    const auto& sizes = job.io.access.block_sizes;
    const bool image = world.page_cache == nullptr && sizes[1].max % world.record_bytes() != 0;
    buffers += std::max({sizes[0].max, sizes[1].max, image ? settings.sample * world.record_bytes() : 0});
  }
  if (buffers > kGiB) {
    return Error{ErrorKind::usage, fmt::format("{}: the buffers of {} jobs take {} MiB, more than 1024", path,
                                               jobs.jobs.size(), buffers / kMiB)};
  }
  std::deque<RunningJob> running;
  for (const FioJob& job : jobs.jobs) {
    RunningJob& next = running.emplace_back();
    next.job = &job;
    const std::uint64_t length = job.io.access.offset + job.io.access.size;
    if (world.page_cache != nullptr) {
      next.pages = std::make_unique<PlainPages>(length);
      continue;
    }
    if (job.io.access.writes) {
      const std::uint64_t record = world.policy->unit_bytes(length);
      const FioBlockSizes& blocks = job.io.access.block_sizes[1];
      const bool whole_records = blocks.min == blocks.max && blocks.max % record == 0;
      next.content =
          whole_records ? fio_write_content(job.io, 1'000'000) : fio_image_content(job.io, record, settings.sample);
      auto records = RecordSampler::make(*world.policy, world.host, *next.content, length, settings.sample);
      if (!records) return records.error();
      next.records = std::move(*records);
    }
    if (!fio_lays_out(job.io)) continue;
    next.layout_content = fio_layout_content(job.io, world.policy->unit_bytes(length));
    auto layout = RecordSampler::make(*world.policy, world.host, *next.layout_content, length, settings.sample);
    if (!layout) return layout.error();
    next.layout = std::move(*layout);
  }
  return running;
}

// Files in the order of the jobs, as they were laid out.
void open_files(World& world, std::deque<RunningJob>& jobs, const FioSettings& settings) {
  std::map<std::string, FilesystemModel::File> by_name;  // jobs with filename= share a file
  for (RunningJob& running : jobs) {
    if (running.pages) {
      const auto known = by_name.find(running.job->file_name);
      running.file = known != by_name.end() ? known->second : world.filesystem->create(*running.pages);
      by_name.emplace(running.job->file_name, running.file);
      continue;
    }
    if (!running.layout) {
      running.file = world.filesystem->create(*running.records);
      continue;
    }
    if (!settings.resident) continue;  // the file that was laid out, in the cache as far as that kept it
    const std::uint64_t records = *settings.resident / running.layout->record_bytes();
    running.file = world.filesystem->open(*running.layout, &running == &jobs.back() ? records : 0);
  }
}

FioHeader header_of(const FioJob& job, const std::string& version) {
  const std::size_t direction = job.io.access.writes ? 1 : 0;
  FioHeader header;
  header.version = version;
  header.rw = printed_rw(job.io.access);
  header.block_min = job.io.access.block_sizes[direction].min;
  header.block_max = job.io.access.block_sizes[direction].max;
  header.ioengine = job.engine;
  header.layout_files = 1;
  header.layout_bytes = job.io.access.offset + job.io.access.size;
  return header;
}

FioDisk disk_of(const std::string& name, const BlockDeviceCounters& counters, const FioGroup& group) {
  const auto milliseconds_of = [](Duration d) { return static_cast<std::uint64_t>(d.ns / 1'000'000); };
  const std::uint64_t runtime_ms = std::max<std::uint64_t>(1, group[FioDirection::write].runtime_ms);
  FioDisk disk;
  disk.name = name;
  disk.ios[1] = counters.ios;
  disk.ticks_ms[1] = milliseconds_of(counters.waiting);
  disk.in_queue_ms = disk.ticks_ms[1];
  disk.util_percent =
      std::min(100.0, 100 * static_cast<double>(milliseconds_of(counters.busy)) / static_cast<double>(runtime_ms));
  return disk;
}

// fio finds the devices by the number of the file's device, and Btrfs' files have an anonymous one: no disks there.
std::vector<FioDisk> disks_of(const World& world, const BlockDevices& devices, const FioSettings& settings,
                              const FioGroup& group) {
  if (settings.disk.empty() || world.options.filesystem == "btrfs") return {};
  const FioDisk below = disk_of(settings.disk, devices.device, group);
  if (settings.stacked_disk.empty()) return {below};
  FioDisk stacked = disk_of(settings.stacked_disk, devices.stacked, group);
  stacked.aggregate = true;
  stacked.aggregate_ios = below.ios;
  stacked.aggregate_merges = below.merges;
  stacked.aggregate_ticks_ms = below.ticks_ms;
  stacked.aggregate_in_queue_ms = below.in_queue_ms;
  stacked.aggregate_util_percent = below.util_percent;
  return {stacked, below};
}

FioSettings read_settings(WorkloadSettings& given) {
  FioSettings settings;
  settings.user_per_io = duration_of(given.number("user_us_per_io", 0, 1e6, 0.0) * 1e-6);
  settings.system_per_io = duration_of(given.number("system_us_per_io", 0, 1e6, 0.0) * 1e-6);
  settings.fork_stagger = duration_of(given.number("fork_stagger_ms", 0, 1e4, 0.0) * 1e-3);
  settings.sample = given.count("sample", 1, kMiB, 8);
  settings.stacked_disk = given.text("stacked_disk", "");
  settings.disk = given.text("disk", "");
  if (given.has("resident_mib")) settings.resident = given.count("resident_mib", 0, 1 << 24) * kMiB;
  return settings;
}

// Runs all jobs to their end, from the present time on.
Status run_jobs(World& world, std::deque<RunningJob>& jobs, const FioSettings& settings, const std::string& path,
                BlockDevices& devices) {
  Instant start = world.scheduler.now();
  FioProgress progress;
  for (RunningJob& job : jobs) {
    job.statistics.emplace(FioJobStatistics::Options{
        .start = start, .latency = !job.job->gtod_reduce, .synchronous = !job.job->asynchronous});
    if (job.pages) {
      job.buffered = std::make_unique<FioBufferedJob>(world, *job.job, job.file, settings.user_per_io, *job.statistics);
      world.scheduler.spawn_at(start, job.buffered->run(progress, devices));
    } else {
      world.scheduler.spawn_at(start, fio_process(world, job, settings, progress));
    }
    start = start + settings.fork_stagger;
  }
  BLKPRESS_TRY(world.run());
  if (!progress.stopped) return ok();
  if (progress.issued > kMostIos) return too_many_ios(path);
  return Error{
      ErrorKind::usage,
      fmt::format("{}: the jobs issue more than {} I/Os at the same moment: they take no time", path, kMostIosAtOnce)};
}

// The statistics of all jobs as one group; what they wrote goes into result.
FioGroup group_of(const std::deque<RunningJob>& jobs, WorkloadResult& result) {
  std::vector<FioJobStatistics> statistics;
  for (const RunningJob& job : jobs) {
    statistics.push_back(*job.statistics);
    if (job.pages) {
      result.records += job.pages->records();
      continue;
    }
    const RecordSampler& records = job.records ? *job.records : *job.layout;
    result.files.push_back(records.account());
    result.records += records.records();
    result.records_compressed_for_real += records.compressed_for_real();
  }
  FioGroup group = fio_group(statistics);
  group.name = jobs.front().job->name;
  group.iodepth = jobs.front().job->iodepth;
  group.percentiles = !jobs.front().job->gtod_reduce;
  return group;
}

}  // namespace

Result<WorkloadResult> run_fio(World& world, WorkloadSettings& settings) {
  const bool command = settings.has("command");
  const std::string words = command ? settings.text("command") : settings.path("job");
  const std::string path = command ? "command line" : words;  // for messages
  const std::string version = settings.text("fio_version", "3.33");
  const FioSettings fio = read_settings(settings);
  const std::uint64_t pid = settings.count("pid", 0, UINT32_MAX, 0);
  const std::string end_time = settings.text("end_time", "");
  BLKPRESS_TRY(settings.status());
  auto jobs = read_jobs(words, command, version);
  if (!jobs) return jobs.error();
  if (jobs->jobs.empty()) return Error{ErrorKind::usage, fmt::format("{}: no job", path)};
  for (const FioJob& job : jobs->jobs) BLKPRESS_TRY(check_fio_job(job, world, path));
  auto running = prepare(world, *jobs, fio, path);
  if (!running) return running.error();

  world.scheduler.spawn(lay_out_files(world, *running));
  BLKPRESS_TRY(world.run());
  const Duration layout_time = world.scheduler.now() - Instant{};
  open_files(world, *running, fio);
  BlockDevices devices;
  BLKPRESS_TRY(run_jobs(world, *running, fio, path, devices));

  WorkloadResult result;
  FioRun run{header_of(jobs->jobs.front(), version), {group_of(*running, result)}, {}};
  run.groups.front().pid = pid;
  run.groups.front().end_time = end_time;
  if (world.page_cache != nullptr) {
    run.disks = disks_of(world, devices, fio, run.groups.front());
    result.notes.push_back(fio_compression(jobs->jobs.front(), world).state);
  }
  run.header.global_options = jobs->global_options;
  run.groups.front().options = jobs->section_options.front();
  result.options = printed_options(jobs->jobs);
  for (const FioFigure& figure : fio_figures(run)) result.numbers.push_back({figure.metric, figure.value, figure.unit});
  result.text = fio_run_text(run);
  result.json = fio_run_json(run);
  for (std::string& note : fio_notes(jobs->jobs.front(), world)) result.notes.push_back(std::move(note));
  if (layout_time.ns > 0) {
    result.notes.push_back(fmt::format("fio lays its files out before, in {:.1f} s", in_seconds(layout_time)));
  }
  result.fio = std::move(run.groups.front());
  return result;
}

}  // namespace blkpress::sim
