// scrub: reads everything in a pool and heals what it can.
#include <fmt/format.h>

#include "blkpress/check_report.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_scrub(const Arguments& arguments) {
  std::vector<std::string> words;
  bool json = false;
  Options options(
      "scrub",
      "Does what check does, reads every copy of every block, and writes damaged copies anew from the good ones.");
  options.positionals(words, "POOLFILE", "a pool", true);
  options.flag("-j", json, "as JSON");
  options.examples(
      "Exit status: 0 no problems, 1 problems were found, 2 usage, 3 I/O, 4 corrupt: it does not even open.");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (words.size() != 1) return Error{ErrorKind::usage, fmt::format("scrub takes one pool, not '{}' too", words[1])};
  PoolSession session(false);
  const auto pool = session.open(words.front());
  if (!pool) return pool.error();
  const auto report = (*pool)->scrub();
  if (!report) return report.error();
  BLKPRESS_TRY(session.close());
  return write_check_report(words.front(), *report, true, json);
}

}  // namespace blkpress::tool
