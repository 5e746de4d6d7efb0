// snapshot: what datasets hold now, kept.
#include <fmt/format.h>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_snapshot(const Arguments& arguments) {
  std::vector<std::string> names;
  bool recursive = false;
  Options options("snapshot", "Keeps what datasets hold now, as snapshots of theirs. Nothing is copied.");
  options.positionals(names, "NAME", "POOLFILE[/DATASET]@SNAPSHOT", true);
  options.flag("-r", recursive, "of all datasets below too, all at one moment");
  options.examples("Examples:\n  blkpress snapshot disk.blkp/db@monday\n  blkpress snapshot -r disk.blkp@backup");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  PoolSession session(false);
  for (const std::string& text : names) {
    const auto name = parse_pool_name(text);
    if (!name) return name.error();
    if (!name->is_snapshot()) return Error{ErrorKind::usage, fmt::format("'{}' has no @SNAPSHOT", text)};
    const auto pool = session.open(name->file);
    if (!pool) return pool.error();
    const Status done = (*pool)->snapshot(name->name, recursive);
    if (!done) return in_pool(*name, done.error());
  }
  BLKPRESS_TRY(session.close());
  return ExitStatus::done;
}

}  // namespace blkpress::tool
