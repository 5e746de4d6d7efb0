#include "blkpress/check_report.hpp"

#include <fmt/format.h>

#include "blkpress/json.hpp"
#include "blkpress/one_line.hpp"
#include "blkpress/output.hpp"
#include "blkpress/size_format.hpp"

namespace blkpress::tool {

Result<ExitStatus> write_check_report(const std::string& file, const CheckReport& report, bool read, bool json) {
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

}  // namespace blkpress::tool
