// clone: a dataset that begins as a snapshot.
#include <fmt/format.h>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_clone(const Arguments& arguments) {
  std::vector<std::string> names, property_texts;
  bool parents = false;
  Options options("clone", "Makes a dataset that begins as a snapshot in the same pool. Nothing is copied.");
  options.positionals(names, "SNAPSHOT NAME", "POOLFILE[/DATASET]@SNAPSHOT and POOLFILE/DATASET", true);
  options.list("-o", property_texts, "PROPERTY=VALUE", "set a property of the clone");
  options.flag("-p", parents, "also make the parents that are missing");
  options.examples("Example:\n  blkpress clone disk.blkp/db@monday disk.blkp/try");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (names.size() != 2) return Error{ErrorKind::usage, "clone takes a snapshot and the name of the clone"};
  const auto snapshot = parse_pool_name(names[0]);
  if (!snapshot) return snapshot.error();
  const auto target = parse_dataset_name(names[1]);
  if (!target) return target.error();
  const auto properties = parse_properties(property_texts);
  if (!properties) return properties.error();
  if (snapshot->file != target->file) {
    return Error{ErrorKind::usage, fmt::format("'{}' and '{}' are not in the same pool", names[0], names[1])};
  }
  PoolSession session(false);
  const auto pool = session.open(target->file);
  if (!pool) return pool.error();
  for (std::size_t slash = target->name.find('/'); parents && slash != std::string::npos;
       slash = target->name.find('/', slash + 1)) {
    const std::string parent = target->name.substr(0, slash);
    if ((*pool)->list(parent)) continue;
    if (Status done = (*pool)->create_filesystem(parent); !done) return in_pool(*target, done.error());
  }
  const Status done = (*pool)->clone(snapshot->name, target->name, *properties);
  if (!done) return in_pool(*target, done.error());
  BLKPRESS_TRY(session.close());
  return ExitStatus::done;
}

}  // namespace blkpress::tool
