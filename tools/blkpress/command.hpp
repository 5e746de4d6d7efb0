// A sub-command of blkpress: one file command_<name>.cpp and one line in commands.def.
//
// A command writes results to standard output (or --output), progress to standard error, and returns how it ended. What
// goes wrong is returned as an Error; main prints it as the one line "blkpress: <message>" and exits with its kind.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/result.hpp"

namespace blkpress::tool {

// What the process returns; the numbers of ErrorKind, and 0.
enum class ExitStatus : int { done = 0, check_failed = 1, usage = 2, io = 3, corrupt = 4, no_space = 5 };

// The words behind the name of the sub-command.
using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view help;  // one line
  Result<ExitStatus> (*run)(const Arguments& arguments);
};

// Every command, in the order of commands.def.
std::span<const Command> commands();

}  // namespace blkpress::tool
