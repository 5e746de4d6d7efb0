// ls: the objects of a filesystem.
#include <fmt/format.h>

#include "blkpress/command.hpp"
#include "blkpress/json.hpp"
#include "blkpress/ledger.hpp"
#include "blkpress/one_line.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/pool_session.hpp"
#include "blkpress/size_format.hpp"
#include "blkpress/zfs_table.hpp"

namespace blkpress::tool {

Result<ExitStatus> command_ls(const Arguments& arguments) {
  std::vector<std::string> words;
  bool all = false, scripted = false, exact = false, as_json = false;
  Options options("ls", "Lists the objects of a filesystem in a pool, or of a snapshot of one.");
  options.positionals(words, "NAME", "POOLFILE[/DATASET][@SNAPSHOT]", true);
  options.flag("-l", all, "with size, record size, what they take (USED) and how well they compress (RATIO)");
  options.flag("-H", scripted, "no heading, a tab between columns");
  options.flag("-p", exact, "exact numbers");
  options.flag("-j", as_json, "as JSON, with everything");
  options.examples("Example:\n  blkpress ls -l disk.blkp/db");
  const auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  if (words.size() != 1) return Error{ErrorKind::usage, fmt::format("ls takes one name, not '{}' too", words[1])};
  const auto name = parse_pool_name(words.front());
  if (!name) return name.error();
  PoolSession session(true);
  const auto pool = session.open(name->file);
  if (!pool) return pool.error();
  const auto objects = (*pool)->objects(name->name);
  if (!objects) return in_pool(*name, objects.error());
  std::string text;
  ZfsTable table({{"NAME"}, {"SIZE", true}, {"RECSIZE", true}, {"USED", true}, {"RATIO", true}});
  Json json = Json::array();
  const auto size = [exact](std::uint64_t bytes) { return exact ? fmt::format("{}", bytes) : format_size(bytes); };
  for (const ObjectInfo& info : *objects) {
    text += one_line(info.name) + "\n";
    if (!all && !as_json) continue;
    const auto object = (*pool)->open_object(name->name, info.name);
    if (!object) return in_pool(*name, object.error());
    const auto usage = (*object)->usage();
    if (!usage) return in_pool(*name, usage.error());
    const std::string ratio = format_ratio(ratio_x100(usage->logical, usage->compressed), exact);
    table.add_row({one_line(info.name), size(info.size), size(info.record_bytes), size(usage->allocated), ratio});
    json.push_back({{"name", info.name},
                    {"size", info.size},
                    {"record_bytes", info.record_bytes},
                    {"records", usage->records},
                    {"logical", usage->logical},
                    {"compressed", usage->compressed},
                    {"allocated", usage->allocated}});
  }
  if (as_json) {
    text = json_text(Json{{"objects", json}});
  } else if (all) {
    text = scripted ? table.scripted() : table.text();
  }
  BLKPRESS_TRY(write_standard_output(text));
  return ExitStatus::done;
}

}  // namespace blkpress::tool
