// inherit: a property as the parent has it.
#include <fmt/format.h>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_inherit(const Arguments& arguments) {
  std::vector<std::string> words;
  bool recursive = false;
  Options options("inherit", "Clears a property, so that datasets have it from their parents again, or by default.");
  options.positionals(words, "PROPERTY NAME...", "a property, then POOLFILE[/DATASET]", true);
  options.flag("-r", recursive, "of all datasets below too");
  options.examples("Example:\n  blkpress inherit -r compression disk.blkp");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (words.size() < 2) return Error{ErrorKind::usage, "inherit takes a property and the name of a dataset"};
  PoolSession session(false);
  for (std::size_t at = 1; at < words.size(); ++at) {
    const auto name = parse_dataset_name(words[at]);
    if (!name) return name.error();
    const auto pool = session.open(name->file);
    if (!pool) return pool.error();
    const Status done = (*pool)->inherit(name->name, words[0], recursive);
    if (!done) return in_pool(*name, done.error());
  }
  BLKPRESS_TRY(session.close());
  return ExitStatus::done;
}

}  // namespace blkpress::tool
