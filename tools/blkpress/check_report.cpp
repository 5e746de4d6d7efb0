#include "blkpress/check_report.hpp"

#include <fmt/format.h>

#include "blkpress/json.hpp"
#include "blkpress/one_line.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/pool_session.hpp"
#include "blkpress/size_format.hpp"

namespace blkpress::tool {

namespace {

Result<ExitStatus> write_report(const std::string& file, const CheckReport& report, bool read, bool json) {
  std::string text;
  if (json) {
    Json problems = Json::array();
    for (const PoolProblem& problem : report.problems)
      problems.push_back({{"where", problem.where}, {"what", problem.what}});
    text = json_text(Json{{"pool", file},
                          {"blocks", report.blocks},
                          {"allocated", report.allocated},
                          {"bytes_read", report.bytes_read},
                          {"healed", report.healed},
                          {"problems", problems}});
  } else {
    for (const PoolProblem& problem : report.problems) {
      text += fmt::format("{}: {}\n", one_line(problem.where), one_line(problem.what));
    }
    text += fmt::format("{}: {} blocks, {}", file, report.blocks, format_size(report.allocated));
    if (read)
      text += fmt::format("; {} read and verified, {} copies healed", format_size(report.bytes_read), report.healed);
    text += report.problems.empty() ? "; no problems\n" : fmt::format("; {} problems\n", report.problems.size());
  }
  BLKPRESS_TRY(write_standard_output(text));
  return report.problems.empty() ? ExitStatus::done : ExitStatus::check_failed;
}

}  // namespace

Result<ExitStatus> check_pool(const Arguments& arguments, std::string_view verb, std::string_view description,
                              bool scrub) {
  std::vector<std::string> words;
  bool json = false;
  Options options(verb, description);
  options.positionals(words, "POOLFILE", "a pool", true);
  options.flag("-j", json, "as JSON");
  options.examples(
      "Exit status: 0 no problems, 1 problems were found, 2 usage, 3 I/O, 4 corrupt: it does not even open.");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (words.size() != 1) {
    return Error{ErrorKind::usage, fmt::format("{} takes one pool, not '{}' too", verb, words[1])};
  }
  PoolSession session(!scrub);
  const auto pool = session.open(words.front());
  if (!pool) return pool.error();
  const auto report = scrub ? (*pool)->scrub() : (*pool)->check();
  if (!report) return report.error();
  BLKPRESS_TRY(session.close());
  return write_report(words.front(), *report, scrub, json);
}

}  // namespace blkpress::tool
