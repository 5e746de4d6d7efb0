// rename: a dataset or a snapshot.
#include <fmt/format.h>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_rename(const Arguments& arguments) {
  std::vector<std::string> names;
  Options options("rename", "Gives a dataset, with all below it, or a snapshot another name in the same pool.");
  options.positionals(names, "OLD NEW", "POOLFILE/DATASET or POOLFILE[/DATASET]@SNAPSHOT, twice", true);
  options.examples(
      "Examples:\n  blkpress rename disk.blkp/db disk.blkp/old\n"
      "  blkpress rename disk.blkp/db@monday disk.blkp/db@week1");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (names.size() != 2) return Error{ErrorKind::usage, "rename takes an old and a new name"};
  const auto from = parse_pool_name(names[0]);
  if (!from) return from.error();
  // As zfs does, a snapshot's new name may be given alone: "@week1".
  const bool short_name = names[1].starts_with('@');
  const auto to = short_name ? Result<PoolName>(PoolName{from->file, names[1]}) : parse_pool_name(names[1]);
  if (!to) return to.error();
  if (from->file != to->file) {
    return Error{ErrorKind::usage, fmt::format("'{}' and '{}' are not in the same pool", names[0], names[1])};
  }
  PoolSession session(false);
  const auto pool = session.open(from->file);
  if (!pool) return pool.error();
  const Status done = (*pool)->rename(from->name, to->name);
  if (!done) return in_pool(*from, done.error());
  BLKPRESS_TRY(session.close());
  return ExitStatus::done;
}

}  // namespace blkpress::tool
