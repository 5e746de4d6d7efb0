// set: properties of datasets.
#include <fmt/format.h>

#include "blkpress/command.hpp"
#include "blkpress/options.hpp"
#include "blkpress/pool_session.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_set(const Arguments& arguments) {
  std::vector<std::string> words;
  Options options("set", "Sets properties of datasets. A change affects what is written later.");
  options.positionals(words, "PROPERTY=VALUE... NAME...", "properties, then POOLFILE[/DATASET]", true);
  std::string values;
  for (const PropertyInfo& info : pool_properties()) {
    if (info.settable) values += fmt::format("  {:<14}{}\n", info.name, info.values);
  }
  options.examples("Properties:\n" + values +
                   "  module:name   any text of your own\n\n"
                   "Example:\n  blkpress set compression=zstd-9 recordsize=1M disk.blkp/archive");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (; at < words.size() && words[at].find('=') != std::string::npos; ++at) texts.push_back(words[at]);
  const auto properties = parse_properties(texts);
  if (!properties) return properties.error();
  if (properties->empty() || at == words.size()) {
    return Error{ErrorKind::usage, "set takes PROPERTY=VALUE and the name of a dataset"};
  }
  PoolSession session(false);
  for (; at < words.size(); ++at) {
    const auto name = parse_pool_name(words[at]);
    if (!name) return name.error();
    const auto pool = session.open(name->file);
    if (!pool) return pool.error();
    for (const Property& property : *properties) {
      const Status done = (*pool)->set(name->name, property);
      if (!done) return in_pool(*name, done.error());
    }
  }
  BLKPRESS_TRY(session.close());
  return ExitStatus::done;
}

}  // namespace blkpress::tool
