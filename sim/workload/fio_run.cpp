// fio: the jobs of a job file, each a process in a closed loop.
#include <fmt/format.h>

#include <charconv>
#include <deque>

#include "blkpress/sim/fio_job.hpp"
#include "blkpress/sim/record_sampler.hpp"
#include "blkpress/text_file.hpp"
#include "workload/workload_runs.hpp"

namespace blkpress::sim {

namespace {

// What fio itself costs, and what it prints that no model knows.
struct FioCosts {
  Duration user_per_io{};    // fio's own code between two I/Os
  Duration system_per_io{};  // as getrusage(2) counts; the part that delays an I/O is the filesystem's copy time
  Duration fork_stagger{};   // from the start of one job to the next
};

// One job: its file, its process, its statistics.
struct RunningJob {
  const FioJob* job;
  std::unique_ptr<RecordContent> content;
  std::unique_ptr<RecordSampler> records;
  FilesystemModel::File file = 0;
  Process process;
  FioJobStatistics statistics;
};

Task fio_process(World& world, RunningJob& running, const FioCosts& costs) {
  const std::uint64_t block = running.job->io.access.block_sizes[1].max;
  const std::uint64_t records_per_io = block / world.options.zfs.recordsize;
  for (std::uint64_t index = 0; index < running.records->records(); index += records_per_io) {
    const Instant start = world.scheduler.now();
    for (std::uint64_t i = 0; i < records_per_io; ++i) {
      co_await world.filesystem->write_record(running.process, running.file, index + i);
    }
    running.statistics.record(FioDirection::write, start, world.scheduler.now(), block);
    running.statistics.add_cpu(costs.user_per_io, costs.system_per_io);
    co_await world.processor->run(running.process.thread, costs.user_per_io);
  }
  world.processor->block(running.process.thread);
  const Processor::Thread& thread = running.process.thread;
  running.statistics.add_context_switches(thread.voluntary_switches + thread.involuntary_switches);
  running.statistics.finish(world.scheduler.now());
}

// The subset that is simulated: whole records, written in sequence, one at a time.
Status check(const FioJob& job, std::uint64_t recordsize, const std::string& name) {
  const auto refuse = [&](const std::string& what) {
    return Error{ErrorKind::usage, fmt::format("{}: job {}: {}", name, job.name, what)};
  };
  const FioAccess& access = job.io.access;
  if (access.reads || access.random || access.sequence != 0) return refuse("only rw=write is simulated");
  const FioBlockSizes& blocks = access.block_sizes[1];
  if (blocks.min != blocks.max || !blocks.split.empty()) return refuse("only one block size is simulated");
  if (blocks.max > 64 * kMiB) return refuse(fmt::format("bs={} is more than 64 MiB", blocks.max));
  if (blocks.max % recordsize != 0) {
    return refuse(fmt::format("bs={} is not a multiple of the recordsize {}", blocks.max, recordsize));
  }
  if (access.size == 0 || access.size % blocks.max != 0) {
    return refuse(fmt::format("size={} is not a multiple of bs={}", access.size, blocks.max));
  }
  if (job.asynchronous) return refuse(fmt::format("ioengine={} is not simulated; psync, sync, pvsync are", job.engine));
  if (access.time_based || access.loops != 1 || access.number_ios != 0 || access.io_size != 0 || job.runtime_ns != 0 ||
      job.ramp_time_ns != 0 || job.start_delay_ns != 0) {
    return refuse("time_based, runtime, ramp_time, startdelay, loops, number_ios and io_size are not simulated");
  }
  if (job.sync || job.fsync != 0 || job.fdatasync != 0 || job.end_fsync || job.fsync_on_close || job.stonewall) {
    return refuse("sync, fsync, fdatasync, end_fsync, fsync_on_close and stonewall are not simulated");
  }
  return ok();
}

Result<FioJobs> read_jobs(const std::string& path, const std::string& version) {
  unsigned minor = 0;
  const char* const end = version.data() + version.size();
  const bool major_3 = version.starts_with("3.");
  if (!major_3 || std::from_chars(version.data() + 2, end, minor) != std::from_chars_result{end, std::errc{}} ||
      minor > 1000) {
    return Error{ErrorKind::usage, fmt::format("fio version {} is not 3.<number>", version)};
  }
  const auto text = read_text_file(path, "job file");
  if (!text) return text.error();
  FioParse parse;
  parse.fill = fio_fill_of_3(static_cast<int>(minor));
  return parse_fio_file(*text, path, parse);
}

// A size as job files spell it: "128k", "1G".
std::string size_option(std::uint64_t bytes) {
  if (bytes % kGiB == 0) return fmt::format("{}G", bytes / kGiB);
  if (bytes % kMiB == 0) return fmt::format("{}m", bytes / kMiB);
  if (bytes % kKiB == 0) return fmt::format("{}k", bytes / kKiB);
  return fmt::format("{}", bytes);
}

// What the job file asked for, as parsed.
std::vector<PrintedNumber> printed_options(const std::vector<FioJob>& jobs) {
  const FioJob& job = jobs.front();
  return {{"fio.option.bs", size_option(job.io.access.block_sizes[1].max)},
          {"fio.option.iodepth", fmt::format("{}", job.iodepth)},
          {"fio.option.numjobs", fmt::format("{}", jobs.size())},
          {"fio.option.size", size_option(job.io.access.size)},
          {"fio.option.direct", job.direct ? "1" : "0"},
          {"fio.option.ioengine", job.engine}};
}

Result<std::deque<RunningJob>> prepare(World& world, const FioJobs& jobs, const FioCosts& costs, std::uint64_t sample) {
  std::uint64_t bytes = 0;
  for (const FioJob& job : jobs.jobs) bytes += std::min(job.io.access.size, kTiB);
  if (bytes / world.options.zfs.recordsize > kMostRecords) {
    return Error{ErrorKind::usage, fmt::format("the jobs write {} records, more than the {} that are simulated",
                                               bytes / world.options.zfs.recordsize, kMostRecords)};
  }
  std::deque<RunningJob> running;
  for (const FioJob& job : jobs.jobs) {
    const Instant start = Instant{} + costs.fork_stagger * static_cast<std::int64_t>(running.size());
    RunningJob& next = running.emplace_back(
        RunningJob{&job, fio_write_content(job.io, 1'000'000), nullptr, 0, {}, FioJobStatistics({.start = start})});
    auto records = RecordSampler::make(*world.policy, world.host, *next.content, job.io.access.size, sample);
    if (!records) return records.error();
    next.records = std::move(*records);
    next.file = world.filesystem->create(*next.records);
  }
  return running;
}

}  // namespace

Result<WorkloadResult> run_fio(World& world, WorkloadSettings& settings) {
  const std::string path = settings.path("job");
  const std::string version = settings.text("fio_version", "3.33");
  FioCosts costs;
  costs.user_per_io = duration_of(settings.number("user_us_per_io", 0, 1e6, 0.0) * 1e-6);
  costs.system_per_io = duration_of(settings.number("system_us_per_io", 0, 1e6, 0.0) * 1e-6);
  costs.fork_stagger = duration_of(settings.number("fork_stagger_ms", 0, 1e4, 0.0) * 1e-3);
  const std::uint64_t sample = settings.count("sample", 1, kMiB, 8);
  const std::uint64_t pid = settings.count("pid", 0, UINT32_MAX, 0);
  const std::string end_time = settings.text("end_time", "");
  BLKPRESS_TRY(settings.status());
  auto jobs = read_jobs(path, version);
  if (!jobs) return jobs.error();
  if (jobs->jobs.empty()) return Error{ErrorKind::usage, fmt::format("{}: no job", path)};
  for (const FioJob& job : jobs->jobs) BLKPRESS_TRY(check(job, world.options.zfs.recordsize, path));
  auto running = prepare(world, *jobs, costs, sample);
  if (!running) return running.error();

  Instant start;
  for (RunningJob& job : *running) {
    world.scheduler.spawn_at(start, fio_process(world, job, costs));
    start = start + costs.fork_stagger;
  }
  BLKPRESS_TRY(world.run());

  WorkloadResult result;
  std::vector<FioJobStatistics> statistics;
  for (const RunningJob& job : *running) {
    statistics.push_back(job.statistics);
    result.files.push_back(job.records->account());
    result.records += job.records->records();
    result.records_compressed_for_real += job.records->compressed_for_real();
  }
  FioGroup group = fio_group(statistics);
  group.name = jobs->jobs.front().name;
  group.iodepth = jobs->jobs.front().iodepth;
  group.pid = pid;
  group.end_time = end_time;
  result.options = printed_options(jobs->jobs);
  for (const FioFigure& figure : fio_figures(group)) result.numbers.push_back({figure.metric, figure.value});
  result.text = fio_group_text(group);
  result.fio = std::move(group);
  return result;
}

}  // namespace blkpress::sim
