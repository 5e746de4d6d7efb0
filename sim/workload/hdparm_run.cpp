// hdparm -tT: how fast the page cache and the device deliver a long sequential read.
//
// Both tests read 2 MiB at a time and count whole pieces until their time is over; "MB" are 1048576 bytes. The buffered
// test reads the device through an empty page cache: the kernel's read-ahead keeps some requests under way, and each
// piece is copied out of the cache. The cached test only copies.
#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "blkpress/bytes.hpp"
#include "workload/workload_runs.hpp"

namespace blkpress::sim {

namespace {

constexpr std::uint64_t kPieceBytes = 2 * kMiB;

struct HdparmOptions {
  Duration copy_piece{};  // CPU time of copying one piece out of the page cache
  Duration cached_time{};
  Duration buffered_time{};
  std::uint64_t request_bytes = 0;
  std::size_t depth = 0;
};

struct Timing {
  std::uint64_t pieces = 0;
  Duration elapsed{};
};

// The requests that read-ahead has sent, in order.
class ReadAhead {
 public:
  ReadAhead(World& world, const HdparmOptions& options) : world_(world), options_(options) {}

  // When the next request has been read. Another one is sent in its place.
  Instant next() {
    while (under_way_.size() < options_.depth) {
      under_way_.push_back(world_.device->complete_at({DeviceRequest::Kind::read, offset_, options_.request_bytes},
                                                      world_.scheduler.now()));
      offset_ += options_.request_bytes;
    }
    const Instant done = under_way_.front();
    under_way_.pop_front();
    return done;
  }

 private:
  World& world_;
  const HdparmOptions& options_;
  std::uint64_t offset_ = 0;
  std::deque<Instant> under_way_;
};

Task hdparm_process(World& world, const HdparmOptions& options, Timing& cached, Timing& buffered) {
  Process process;
  const Instant start = world.scheduler.now();
  do {
    co_await world.processor->run(process.thread, options.copy_piece);
    ++cached.pieces;
    cached.elapsed = world.scheduler.now() - start;
  } while (cached.elapsed < options.cached_time);

  ReadAhead read_ahead(world, options);
  const Instant buffered_start = world.scheduler.now();
  const auto requests = static_cast<std::int64_t>(kPieceBytes / options.request_bytes);
  do {
    for (std::int64_t i = 0; i < requests; ++i) {
      const Instant done = read_ahead.next();
      if (done > world.scheduler.now()) {
        world.processor->block(process.thread);
        co_await world.scheduler.sleep_until(done);
      }
      co_await world.processor->run(process.thread, options.copy_piece / requests);
    }
    ++buffered.pieces;
    buffered.elapsed = world.scheduler.now() - buffered_start;
  } while (buffered.elapsed < options.buffered_time);
  world.processor->block(process.thread);
}

// The three numbers of a line, and the line as hdparm prints it.
std::string add_numbers(const Timing& timing, const std::string& test, const char* label, WorkloadResult& result) {
  const std::uint64_t megabytes = timing.pieces * (kPieceBytes / kMiB);
  const double elapsed = std::max(1e-9, in_seconds(timing.elapsed));
  const double rate = static_cast<double>(megabytes) / elapsed;
  const std::string seconds_text = fmt::format("{:.2f}", elapsed);
  const std::string rate_text = fmt::format("{:.2f}", rate);
  result.numbers.push_back({"hdparm." + test + ".MB", fmt::format("{}", megabytes)});
  result.numbers.push_back({"hdparm." + test + ".seconds", seconds_text});
  result.numbers.push_back({"hdparm." + test + ".rate", rate_text});
  // Below 1 MB/s hdparm changes the unit.
  const std::string speed =
      rate > 1 ? fmt::format("{:>6} MB/sec", rate_text) : fmt::format("{:6.2f} kB/sec", rate * 1024);
  return fmt::format("{}{:>3} MB in {:>5} seconds = {}\n", label, megabytes, seconds_text, speed);
}

}  // namespace

Result<WorkloadResult> run_hdparm(World& world, WorkloadSettings& settings) {
  HdparmOptions options;
  const double cached_mb_s = settings.number("cached_mb_s", 1, 1e6);
  options.copy_piece = duration_of(static_cast<double>(kPieceBytes) / static_cast<double>(kMiB) / cached_mb_s);
  options.cached_time = duration_of(settings.number("cached_seconds", 0.01, 3600, 2));
  options.buffered_time = duration_of(settings.number("buffered_seconds", 0.01, 3600, 3));
  const std::uint64_t request_kib = settings.count("request_kib", 4, kPieceBytes / kKiB, 128);
  options.request_bytes = request_kib * kKiB;
  options.depth = settings.count("depth", 1, 1024, 2);
  BLKPRESS_TRY(settings.status());
  if (kPieceBytes % options.request_bytes != 0) {
    return Error{ErrorKind::usage,
                 fmt::format("hdparm: request_kib {} does not divide 2048, what hdparm reads at a time", request_kib)};
  }
  Timing cached;
  Timing buffered;
  world.scheduler.spawn(hdparm_process(world, options, cached, buffered));
  BLKPRESS_TRY(world.run());

  WorkloadResult result;
  result.text = add_numbers(cached, "cached", " Timing cached reads:   ", result);
  result.text += add_numbers(buffered, "buffered", " Timing buffered disk reads: ", result);
  return result;
}

}  // namespace blkpress::sim
