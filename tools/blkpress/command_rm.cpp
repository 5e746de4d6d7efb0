// rm: objects of a filesystem.
#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_rm(const Arguments& arguments) {
  std::vector<std::string> words;
  Options options("rm", "Removes objects from a filesystem in a pool. Snapshots keep them.");
  options.positionals(words, "NAME OBJECT...", "POOLFILE[/DATASET], then objects", true);
  options.examples("Example:\n  blkpress rm disk.blkp/db old.log");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (words.size() < 2) return Error{ErrorKind::usage, "rm takes the name of a filesystem and objects"};
  const auto name = parse_dataset_name(words.front());
  if (!name) return name.error();
  PoolSession session(false);
  const auto pool = session.open(name->file);
  if (!pool) return pool.error();
  for (std::size_t at = 1; at < words.size(); ++at) {
    const Status done = (*pool)->remove_object(name->name, words[at]);
    if (!done) return in_pool(*name, done.error());
  }
  BLKPRESS_TRY(session.close());
  return ExitStatus::done;
}

}  // namespace blkpress::tool
