// fio's job files and command line, parsed into the jobs that fio would run.
//
// Both notations give the same structure. Every option of fio is one of three: simulated (it has a field below),
// accepted without effect on a simulation (listed in FioJobs::without_effect), or refused with an error that names file
// and line: nothing is ignored silently. Threads: pure functions and values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blkpress/fio_options.hpp"
#include "blkpress/result.hpp"

namespace blkpress::sim {

enum class FioFallocate : std::uint8_t { none, posix, keep, truncate };  // native is posix, or keep when it fails

// One process or thread of fio. Durations in nanoseconds, sizes in bytes.
struct FioJob {
  std::string name;
  std::uint32_t section = 0;  // which section of the file it comes from, from 0
  std::uint32_t copy = 0;     // which of its numjobs copies, from 0
  std::uint32_t group = 0;    // reporting group, from 0
  std::string file_name;      // as fio would open it: filename, or <directory>/<name>.<copy>.0
  FioIoOptions io;            // what and where; io.seeding.job is fio's number of the job
  std::string engine = "psync";
  bool asynchronous = false;  // the engine keeps io.content.depth I/Os in flight
  std::uint32_t iodepth = 1;  // as given; the printed "depth="
  std::uint32_t iodepth_batch = 1;
  bool group_reporting = false;
  bool stonewall = false;  // it and the jobs after it start when all jobs before it have ended
  bool direct = false;
  bool sync = false;
  bool gtod_reduce = false;
  bool end_fsync = false;
  bool fsync_on_close = false;
  std::uint64_t fsync = 0;       // after that many writes; 0: never
  std::uint64_t fdatasync = 0;   // the same
  std::uint64_t runtime_ns = 0;  // 0: until all bytes are done
  std::uint64_t ramp_time_ns = 0;
  std::uint64_t start_delay_ns = 0;
  FioFallocate fallocate = FioFallocate::posix;
  bool unlink = false;
  bool invalidate = true;  // drops the file's cached pages first

  friend bool operator==(const FioJob&, const FioJob&) = default;
};

struct FioJobs {
  std::vector<FioJob> jobs;                 // in fio's order, copies expanded
  std::vector<std::string> without_effect;  // options met that do not change a simulation, sorted
  // Options as given, in their order, "" for one without a value: of [global] (or before the first --name), and of each
  // section.
  std::vector<std::pair<std::string, std::string>> global_options = {};
  std::vector<std::vector<std::pair<std::string, std::string>>> section_options = {};
};

struct FioParse {
  FioFill fill = FioFill::since_3_32;              // of the fio version that is imitated
  std::uint64_t entropy = 1;                       // see FioSeeding
  std::map<std::string, std::string> environment;  // for ${NAME} in job files; a name that is missing is an error
};

// Parses a job file of at most 1 MiB. name: for messages, "file:line: …". Errors: usage.
Result<FioJobs> parse_fio_file(std::string_view text, std::string_view name, const FioParse& parse = {});

// Parses a command line, as one string with shell quotes or as its arguments; a leading "fio" is skipped. Job files
// among the arguments are an error: read and parse them with the function above. Errors: usage, "command line: …".
Result<FioJobs> parse_fio_command(std::string_view command, const FioParse& parse = {});
Result<FioJobs> parse_fio_command(std::span<const std::string> arguments, const FioParse& parse = {});

// Names of options by what becomes of them, for documentation and tests.
std::vector<std::string_view> fio_options_simulated();
std::vector<std::string_view> fio_options_without_effect();
std::vector<std::string_view> fio_options_refused();  // known to fio, would change the result, not simulated

}  // namespace blkpress::sim
