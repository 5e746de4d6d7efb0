// Runs the real command and keeps what it printed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace blkpress::test {

struct CommandRun {
  int status = -1;  // exit status; 128 + signal when killed
  std::string out;
  std::string err;
  std::uint64_t peak_memory = 0;  // largest resident set, bytes
};

struct RunOptions {
  std::vector<std::pair<std::string, std::string>> environment;  // added to the test's own
  std::string standard_output;                                   // a path to write to instead of keeping it
  bool unprivileged = false;                                     // as user nobody, when the test runs as root
};

// BLKPRESS_COMMAND with these arguments. A command that runs for more than a minute is killed.
CommandRun run_command(const std::vector<std::string>& arguments, const RunOptions& options = {});

// The names in commands.def, in its order.
std::vector<std::string> listed_commands();

}  // namespace blkpress::test
