// list: datasets as zfs(8) lists them, pools as zpool(8) does.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "blkpress/command.hpp"
#include "blkpress/dataset_selection.hpp"
#include "blkpress/json.hpp"
#include "blkpress/one_line.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/pool_session.hpp"
#include "blkpress/size_format.hpp"
#include "blkpress/zfs_table.hpp"

namespace blkpress::tool {
namespace {

struct Request {
  std::vector<std::string> names, columns, sort_up, sort_down;
  DatasetSelection selection;
  std::string depth;
  bool scripted = false, exact = false, json = false;
  bool pools = false;  // instead of datasets
};

Result<bool> parse(const Arguments& arguments, Request& request) {
  Options options(
      "list",
      "Lists datasets as zfs list does. The name of a pool alone, without -r, -d, -t and -o, lists the pool "
      "as zpool\nlist does; no name stands for all pools in the current directory.");
  options.positionals(request.names, "NAME", "POOLFILE[/DATASET][@SNAPSHOT]", false);
  options.flag("-r", request.selection.recursive, "with everything below");
  options.text("-d", request.depth, "N", "with what is up to N levels below");
  options.list("-t", request.selection.types, "TYPE", "filesystem, volume, snapshot or all");
  options.list("-o", request.columns, "PROPERTY", "columns; name is one");
  options.list("-s", request.sort_up, "PROPERTY", "sort by it, the smallest first");
  options.list("-S", request.sort_down, "PROPERTY", "sort by it, the largest first");
  options.flag("-H", request.scripted, "no heading, a tab between columns");
  options.flag("-p", request.exact, "exact numbers");
  options.flag("-j", request.json, "as JSON");
  options.examples(
      "Examples:\n  blkpress list\n  blkpress list -r disk.blkp\n"
      "  blkpress list -t snapshot -o name,used,creation -s creation disk.blkp/db");
  return options.parse(arguments);
}

bool looks_like_pool(const std::string& path) {
  const auto file = open_file(path, {.block_device = true});
  if (!file) return false;
  std::vector<std::byte> ring(256 * kKiB);
  const auto got = (*file)->read(0, ring);
  if (!got) return false;
  for (std::size_t at = 0; at + 4096 <= *got; at += 4096) {
    if (std::memcmp(ring.data() + at, "blkpress", 8) == 0) return true;
  }
  return false;
}

Result<std::vector<std::string>> pools_here() {
  std::vector<std::string> pools;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(".", error)) {
    const std::string name = entry.path().filename().string();
    if (is_file_or_device(name) && looks_like_pool(name)) pools.push_back(name);
  }
  if (error) return Error{ErrorKind::io, fmt::format("cannot read the current directory: {}", error.message())};
  std::sort(pools.begin(), pools.end());
  return pools;
}

std::string size_text(std::uint64_t bytes, bool exact) { return exact ? fmt::format("{}", bytes) : format_size(bytes); }

Status write_table(const ZfsTable& table, const Request& request, std::string_view nothing) {
  if (table.empty()) {
    std::fputs(fmt::format("{}\n", nothing).c_str(), stderr);
    return ok();
  }
  return write_standard_output(request.scripted ? table.scripted() : table.text());
}

Status list_pools(const Request& request) {
  ZfsTable table({{"NAME"}, {"SIZE", true}, {"ALLOC", true}, {"FREE", true}, {"CAP", true}});
  Json json = Json::object();
  PoolSession session(true);
  for (const std::string& file : request.names) {
    const auto pool = session.open(file);
    if (!pool) return pool.error();
    const auto usage = (*pool)->usage();
    if (!usage) return usage.error();
    const std::uint64_t capacity = usage->size == 0 ? 0 : usage->allocated * 100 / usage->size;
    table.add_row({one_line(file), size_text(usage->size, request.exact), size_text(usage->allocated, request.exact),
                   size_text(usage->free, request.exact), fmt::format("{}{}", capacity, request.exact ? "" : "%")});
    json[file] = {{"name", file},
                  {"guid", fmt::format("{}", (*pool)->guid())},
                  {"ashift", (*pool)->ashift()},
                  {"size", usage->size},
                  {"allocated", usage->allocated},
                  {"free", usage->free},
                  {"capacity", capacity},
                  {"data", usage->data},
                  {"metadata", usage->metadata},
                  {"pool_metadata", usage->pool_metadata},
                  {"logical", usage->logical}};
  }
  if (request.json) return write_standard_output(json_text(Json{{"pools", json}}));
  return write_table(table, request, "no pools available");
}

struct Row {
  PoolName name;
  DatasetInfo info;
  std::vector<PropertyValue> values;  // of the columns, then of what to sort by
};

Result<PropertyValue> value_of(Pool& pool, const Row& row, const std::string& column) {
  const std::string label = row.name.label(row.info.name);
  if (column == "name") return PropertyValue{"name", label, one_line(label), "-"};
  if (column == "mountpoint") return PropertyValue{"mountpoint", "-", "-", "-"};
  auto value = pool.get(row.info.name, column);
  if (!value) return in_pool(row.name, value.error());
  if (value->name == "origin" && value->value != "-") {
    value->value = row.name.label(value->value);
    value->pretty = one_line(value->value);
  }
  return value;
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Numbers by size, everything else by its letters.
bool less(const std::string& a, const std::string& b) {
  if (is_number(a) && is_number(b)) return a.size() != b.size() ? a.size() < b.size() : a < b;
  return a < b;
}

Status list_datasets(Request& request) {
  if (request.columns.empty()) request.columns = {"name", "used", "available", "referenced", "mountpoint"};
  std::vector<ZfsTable::Column> headings;
  for (const std::string& column : request.columns) {
    std::string heading(column);
    std::transform(heading.begin(), heading.end(), heading.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    bool right = false, known = column == "name" || column == "mountpoint" || column.find(':') != std::string::npos;
    for (const PropertyInfo& info : pool_properties()) {
      std::string short_name(info.column);
      if (info.name != column && heading != short_name) continue;
      heading = short_name;
      right = info.number;
      known = true;
    }
    if (!known) return Error{ErrorKind::usage, fmt::format("-o {}: there is no such property", column)};
    headings.push_back({heading, right});
  }
  PoolSession session(true);
  std::vector<Row> rows;
  std::vector<std::string> keys = request.sort_up;
  keys.insert(keys.end(), request.sort_down.begin(), request.sort_down.end());
  for (const std::string& text : request.names) {
    const auto name = parse_pool_name(text);
    if (!name) return name.error();
    const auto pool = session.open(name->file);
    if (!pool) return pool.error();
    const auto list = select_datasets(**pool, *name, request.selection);
    if (!list) return list.error();
    for (const DatasetInfo& info : *list) {
      Row row{*name, info, {}};
      for (const auto* wanted : {&request.columns, &keys}) {
        for (const std::string& column : *wanted) {
          auto value = value_of(**pool, row, column);
          if (!value) return value.error();
          row.values.push_back(std::move(*value));
        }
      }
      rows.push_back(std::move(row));
    }
  }
  // The last key first, so that the first one decides.
  for (std::size_t key = keys.size(); key-- > 0;) {
    const std::size_t at = request.columns.size() + key;
    const bool down = key >= request.sort_up.size();
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
      const Row &first = down ? b : a, &second = down ? a : b;
      return less(first.values[at].value, second.values[at].value);
    });
  }
  if (request.json) {
    Json json = Json::object();
    for (const Row& row : rows) {
      const std::string label = row.name.label(row.info.name);
      Json properties = Json::object();
      for (std::size_t i = 0; i < request.columns.size(); ++i) {
        const PropertyValue& value = row.values[i];
        if (value.name == "name" || value.name == "mountpoint") continue;
        properties[value.name] = {{"value", request.exact ? value.value : value.pretty},
                                  {"source", source_label(row.name, value.source)}};
      }
      json[label] = {
          {"name", label}, {"type", to_string(row.info.type)}, {"pool", row.name.file}, {"properties", properties}};
    }
    return write_standard_output(json_text(Json{{"datasets", json}}));
  }
  ZfsTable table(headings);
  for (const Row& row : rows) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < request.columns.size(); ++i) {
      cells.push_back(request.exact ? one_line(row.values[i].value) : row.values[i].pretty);
    }
    table.add_row(std::move(cells));
  }
  return write_table(table, request, "no datasets available");
}

}  // namespace

Result<ExitStatus> command_list(const Arguments& arguments) {
  Request request;
  const auto go_on = parse(arguments, request);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  BLKPRESS_TRY(check_types(request.selection.types));
  if (!request.depth.empty()) {
    const auto depth = parse_number_option("-d", request.depth, 0, 1000);
    if (!depth) return depth.error();
    request.selection.depth = *depth;
  }
  const bool of_datasets = request.selection.recursive || request.selection.depth || !request.selection.types.empty() ||
                           !request.columns.empty();
  if (request.names.empty()) {
    const auto pools = pools_here();
    if (!pools) return pools.error();
    request.names = *pools;
    if (of_datasets && !request.selection.depth) request.selection.recursive = true;
    request.pools = !of_datasets;
  } else if (!of_datasets) {
    // Pools alone make a list of pools; one dataset among the names makes a list of datasets.
    request.pools = true;
    for (const std::string& text : request.names) {
      const auto name = parse_pool_name(text);
      if (!name) return name.error();
      request.pools = request.pools && name->name.empty();
    }
  }
  BLKPRESS_TRY(request.pools ? list_pools(request) : list_datasets(request));
  return ExitStatus::done;
}

}  // namespace blkpress::tool
