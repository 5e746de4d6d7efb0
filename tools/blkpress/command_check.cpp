// check: whether a pool adds up.
#include "blkpress/check_report.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_check(const Arguments& arguments) {
  return check_pool(
      arguments, "check",
      "Walks all trees of a pool: the sum of the blocks equals the space maps, no sector leaks or is in use twice, and "
      "the\naccounts of all datasets add up. Nothing is written.",
      false);
}

}  // namespace blkpress::tool
