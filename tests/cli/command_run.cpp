#include "cli/command_run.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "blkpress/result.hpp"
#include "support/scratch_directory.hpp"

namespace blkpress::test {
namespace {

constexpr uid_t kNobody = 65534;
constexpr unsigned kTimeLimitSeconds = 60;

void redirect(const std::string& path, int descriptor) {
  const int opened = ::open(path.c_str(), O_WRONLY | O_CREAT, 0666);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

[[noreturn]] void become_command(const std::vector<std::string>& arguments, const RunOptions& options,
                                 const std::string& out, const std::string& err) {
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  if (options.unprivileged && ::geteuid() == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(126);
  }
  std::vector<char*> words = {const_cast<char*>(BLKPRESS_COMMAND)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::alarm(kTimeLimitSeconds);  // survives exec
  ::execv(BLKPRESS_COMMAND, words.data());
  ::_exit(127);
}

}  // namespace

CommandRun run_command(const std::vector<std::string>& arguments, const RunOptions& options) {
  const ScratchDirectory scratch;
  const std::string out = options.standard_output.empty() ? scratch.path("out") : options.standard_output;
  const std::string err = scratch.path("err");
  const pid_t child = ::fork();
  BLKPRESS_ASSERT(child >= 0);
  if (child == 0) become_command(arguments, options, out, err);
  int status = 0;
  rusage used{};
  BLKPRESS_ASSERT(::wait4(child, &status, 0, &used) == child);
  CommandRun run;
  run.peak_memory = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  run.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (options.standard_output.empty()) run.out = read_text(out);
  run.err = read_text(err);
  return run;
}

std::vector<std::string> listed_commands() {
  std::vector<std::string> names;
#undef BLKPRESS_COMMAND  // the path of the command, which is used above
#define BLKPRESS_COMMAND(identifier, name, help) names.emplace_back(name);
#include "../../tools/blkpress/commands.def"
#undef BLKPRESS_COMMAND
  return names;
}

}  // namespace blkpress::test
