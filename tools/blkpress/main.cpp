// The command: finds the sub-command, runs it, and turns its result into one line and an exit status.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>

#include "blkpress/command.hpp"
#include "blkpress/one_line.hpp"
#include "blkpress/output.hpp"

namespace blkpress::tool {

#define BLKPRESS_COMMAND(identifier, name, help) Result<ExitStatus> command_##identifier(const Arguments& arguments);
#include "blkpress/commands.def"
#undef BLKPRESS_COMMAND

std::span<const Command> commands() {
  static constexpr Command kCommands[] = {
#define BLKPRESS_COMMAND(identifier, name, help) {name, help, command_##identifier},
#include "blkpress/commands.def"
#undef BLKPRESS_COMMAND
  };
  return kCommands;
}

namespace {

std::string help_text() {
  std::string text =
      "blkpress: what compression saves, and what it costs: real codecs, exact accounting, simulated time.\n\n"
      "usage: blkpress COMMAND [OPTION]...\n\n"
      "commands:\n";
  for (const Command& command : commands()) text += fmt::format("  {:<10} {}\n", command.name, command.help);
  text +=
      "\nexamples:\n"
      "  blkpress replay --all                  replay every published experiment, published beside simulated\n"
      "  blkpress simulate --device hdd-7200 -o compression=zstd job.fio\n"
      "                                         what fio would print there\n"
      "  blkpress estimate ~/photos             what ZFS would store for these files, and why\n"
      "  blkpress estimate --compression lz4,zstd-3,gzip-6 --recordsize 16K,128K,1M --format json /srv/data\n"
      "  blkpress create disk.blkp --size 10G   a compressed pool; put, list, snapshot and more work in it\n"
      "  blkpress help estimate                 the options of one command\n\n"
      "exit status: 0 done, 1 a check failed or a file could not be read, 2 usage, 3 I/O, 4 corrupt data, 5 no space\n";
  return text;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

Error unknown_command(std::string_view name) {
  std::string names;
  for (const Command& command : commands()) names += fmt::format("{}{}", names.empty() ? "" : ", ", command.name);
  return {ErrorKind::usage, fmt::format("unknown command '{}'; it is one of {}", name, names)};
}

Result<ExitStatus> run_named(std::string_view name, const Arguments& arguments) {
  const Command* command = find_command(name);
  if (command == nullptr) return unknown_command(name);
  return command->run(arguments);
}

Result<ExitStatus> run(Arguments arguments) {
  if (arguments.empty()) {
    // A script whose command got lost should not look successful.
    std::fputs(help_text().c_str(), stderr);
    return ExitStatus::usage;
  }
  const std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (name == "--version" || name == "-V") return run_named("version", arguments);
  if (name == "help" || name == "--help" || name == "-h") {
    if (arguments.size() > 1) {
      return Error{ErrorKind::usage, fmt::format("help takes one command, not '{}' too", arguments[1])};
    }
    const bool of_help = !arguments.empty() && (arguments.front() == "help" || arguments.front() == "--help");
    if (arguments.empty() || of_help) {
      BLKPRESS_TRY(write_standard_output(help_text()));
      return ExitStatus::done;
    }
    return run_named(arguments.front(), {"--help"});
  }
  return run_named(name, arguments);
}

}  // namespace
}  // namespace blkpress::tool

namespace {

// Our code throws nothing; the standard library does when memory or threads run out. This is the one place that
// catches.
blkpress::Result<blkpress::tool::ExitStatus> run_catching(int argc, char** argv) {
  using namespace blkpress;
  try {
    return tool::run(tool::Arguments(argv + (argc > 0 ? 1 : 0), argv + argc));
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::io, "out of memory"};
  } catch (const std::exception& exception) {
    return Error{ErrorKind::io, exception.what()};
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace blkpress;
  const Result<tool::ExitStatus> result = run_catching(argc, argv);
  if (!result) {
    std::fprintf(stderr, "blkpress: %s\n", tool::one_line(result.error().message).c_str());
    return static_cast<int>(result.error().kind);
  }
  return static_cast<int>(*result);
}
