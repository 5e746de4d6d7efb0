// rollback: a dataset back to its snapshot.
#include <fmt/format.h>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_rollback(const Arguments& arguments) {
  std::vector<std::string> names;
  bool later = false;
  Options options("rollback", "Takes a dataset back to what a snapshot of it holds.");
  options.positionals(names, "NAME", "POOLFILE[/DATASET]@SNAPSHOT", true);
  options.flag("-r", later, "destroy the snapshots that were taken since; without, there may be none");
  options.examples("Example:\n  blkpress rollback disk.blkp/db@monday");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (names.size() != 1) return Error{ErrorKind::usage, fmt::format("rollback takes one name, not '{}' too", names[1])};
  const auto name = parse_pool_name(names.front());
  if (!name) return name.error();
  PoolSession session(false);
  const auto pool = session.open(name->file);
  if (!pool) return pool.error();
  const Status done = (*pool)->rollback(name->name, later);
  if (!done) return in_pool(*name, done.error());
  BLKPRESS_TRY(session.close());
  return ExitStatus::done;
}

}  // namespace blkpress::tool
