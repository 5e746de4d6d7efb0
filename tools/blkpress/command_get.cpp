// get: properties of datasets and snapshots.
#include <fmt/format.h>

#include <algorithm>

#include "blkpress/command.hpp"
#include "blkpress/dataset_selection.hpp"
#include "blkpress/json.hpp"
#include "blkpress/one_line.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/pool_session.hpp"
#include "blkpress/zfs_table.hpp"

namespace blkpress::tool {
namespace {

struct Request {
  std::vector<std::string> words, columns = {"name", "property", "value", "source"}, sources;
  DatasetSelection selection;
  std::string depth;
  bool scripted = false, exact = false, json = false;
};

Result<bool> parse(const Arguments& arguments, Request& request) {
  Options options("get", "Prints properties of datasets and snapshots: all, or a list with commas.");
  options.positionals(request.words, "PROPERTIES NAME...", "all or PROPERTY,..., then POOLFILE[/DATASET][@SNAPSHOT]",
                      true);
  options.flag("-r", request.selection.recursive, "with everything below");
  options.text("-d", request.depth, "N", "with what is up to N levels below");
  options.list("-t", request.selection.types, "TYPE", "filesystem, volume, snapshot or all");
  options.list("-o", request.columns, "COLUMN", "of name, property, value, source");
  options.list("-s", request.sources, "SOURCE", "only values from local, default, inherited or none");
  options.flag("-H", request.scripted, "no heading, a tab between columns");
  options.flag("-p", request.exact, "exact numbers");
  options.flag("-j", request.json, "as JSON");
  options.examples(
      "Examples:\n  blkpress get all disk.blkp/db\n"
      "  blkpress get -rHp -o name,value used,compressratio disk.blkp");
  return options.parse(arguments);
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

bool from_source(const Request& request, const std::string& source) {
  if (request.sources.empty()) return true;
  const std::string kind = source == "-" ? "none" : source.substr(0, source.find(' '));
  return std::find(request.sources.begin(), request.sources.end(), kind) != request.sources.end();
}

Result<std::vector<PropertyValue>> values_of(Pool& pool, const PoolName& name, const DatasetInfo& info,
                                             const std::vector<std::string>& properties) {
  std::vector<PropertyValue> values;
  for (const std::string& property : properties) {
    if (property == "all") {
      auto all = pool.get_all(info.name);
      if (!all) return in_pool(name, all.error());
      values.insert(values.end(), all->begin(), all->end());
      continue;
    }
    auto value = pool.get(info.name, property);
    if (!value) return in_pool(name, value.error());
    values.push_back(std::move(*value));
  }
  for (PropertyValue& value : values) {
    if (value.name == "origin" && value.value != "-") value.value = value.pretty = name.label(value.value);
    value.source = source_label(name, value.source);
  }
  return values;
}

}  // namespace

Result<ExitStatus> command_get(const Arguments& arguments) {
  Request request;
  const auto go_on = parse(arguments, request);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  BLKPRESS_TRY(check_types(request.selection.types));
  if (request.words.size() < 2) return Error{ErrorKind::usage, "get takes properties (or all) and a name"};
  if (!request.depth.empty()) {
    const auto depth = parse_number_option("-d", request.depth, 0, 1000);
    if (!depth) return depth.error();
    request.selection.depth = *depth;
  }
  static const std::vector<std::string> kColumns = {"name", "property", "value", "source"};
  std::vector<ZfsTable::Column> headings;
  for (const std::string& column : request.columns) {
    if (std::find(kColumns.begin(), kColumns.end(), column) == kColumns.end()) {
      return Error{ErrorKind::usage, fmt::format("-o {}: not one of name, property, value, source", column)};
    }
    std::string heading = column;
    std::transform(heading.begin(), heading.end(), heading.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    headings.push_back({heading});
  }
  const std::vector<std::string> properties = split(request.words.front());
  ZfsTable table(headings);
  Json json = Json::object();
  PoolSession session(true);
  for (std::size_t at = 1; at < request.words.size(); ++at) {
    const auto name = parse_pool_name(request.words[at]);
    if (!name) return name.error();
    const auto pool = session.open(name->file);
    if (!pool) return pool.error();
    auto list = select_datasets(**pool, *name, request.selection);
    if (!list) return list.error();
    for (const DatasetInfo& info : *list) {
      const std::string label = name->label(info.name);
      const auto values = values_of(**pool, *name, info, properties);
      if (!values) return values.error();
      Json of_dataset = Json::object();
      for (const PropertyValue& value : *values) {
        if (!from_source(request, value.source)) continue;
        const std::string& shown = request.exact ? value.value : value.pretty;
        of_dataset[value.name] = {{"value", shown}, {"source", value.source}};
        std::vector<std::string> cells;
        for (const std::string& column : request.columns) {
          cells.push_back(one_line(column == "name"       ? label
                                   : column == "property" ? value.name
                                   : column == "value"    ? shown
                                                          : value.source));
        }
        table.add_row(std::move(cells));
      }
      json[label] = {{"name", label}, {"type", to_string(info.type)}, {"pool", name->file}, {"properties", of_dataset}};
    }
  }
  if (request.json) {
    BLKPRESS_TRY(write_standard_output(json_text(Json{{"datasets", json}})));
  } else {
    BLKPRESS_TRY(write_standard_output(request.scripted ? table.scripted() : table.text()));
  }
  return ExitStatus::done;
}

}  // namespace blkpress::tool
