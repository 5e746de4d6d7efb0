// check: whether a pool adds up.
#include <fmt/format.h>

#include "blkpress/check_report.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_check(const Arguments& arguments) {
  std::vector<std::string> words;
  bool json = false;
  Options options("check",
                  "Walks all trees of a pool: the sum of the blocks equals the space maps, no sector leaks or is in "
                  "use twice, and\\nthe accounts of all datasets add up. Nothing is written.");
  options.positionals(words, "POOLFILE", "a pool", true);
  options.flag("-j", json, "as JSON");
  options.examples(
      "Exit status: 0 no problems, 1 problems were found, 2 usage, 3 I/O, 4 corrupt: it does not even open.");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (words.size() != 1) return Error{ErrorKind::usage, fmt::format("check takes one pool, not '{}' too", words[1])};
  PoolSession session(true);
  const auto pool = session.open(words.front());
  if (!pool) return pool.error();
  const auto report = (*pool)->check();
  if (!report) return report.error();
  BLKPRESS_TRY(session.close());
  return write_check_report(words.front(), *report, false, json);
}

}  // namespace blkpress::tool
