#include <fmt/format.h>

#include "blkpress/codec.hpp"
#include "blkpress/command.hpp"
#include "blkpress/json.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/sim/table.hpp"

namespace blkpress::tool {
namespace {

// "1-10,20,30": neighbours are joined.
std::string levels_text(std::span<const int> levels) {
  std::string text;
  for (std::size_t first = 0; first < levels.size();) {
    std::size_t last = first;
    while (last + 1 < levels.size() && levels[last + 1] == levels[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == first ? fmt::format("{}", levels[first]) : fmt::format("{}-{}", levels[first], levels[last]);
    first = last + 1;
  }
  return text;
}

sim::Table codecs_table() {
  sim::Table table({{"codec"}, {"levels"}, {"default"}, {"library"}, {"version"}, {"description"}});
  for (const CodecInfo& codec : codecs()) {
    table.add_row({std::string(codec.name), levels_text(codec.levels),
                   codec.levels.empty() ? "" : fmt::format("{}", codec.default_level), std::string(codec.library),
                   codec.library_version(), std::string(codec.description)});
  }
  return table;
}

std::string codecs_json() {
  Json json = {{"codecs", Json::array()}};
  for (const CodecInfo& codec : codecs()) {
    Json entry = {{"name", codec.name}, {"levels", Json::array()}, {"default_level", nullptr}};
    for (const int level : codec.levels) entry["levels"].push_back(level);
    if (!codec.levels.empty()) entry["default_level"] = codec.default_level;
    entry["library"] = codec.library;
    entry["version"] = codec.library_version();
    entry["description"] = codec.description;
    json["codecs"].push_back(std::move(entry));
  }
  json["versions"] = versions_json();
  return json_text(json);
}

}  // namespace

Result<ExitStatus> command_codecs(const Arguments& arguments) {
  std::string format = "text";
  std::string output;
  Options options("codecs", "Lists the codecs that --compression takes: NAME, or NAME-LEVEL where it has levels.");
  options.choice("--format", format, {"text", "json", "csv"}, "form of the list");
  options.text("--output", output, "FILE", "write it there instead of to standard output");
  auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;

  const std::string text = format == "json"  ? codecs_json()
                           : format == "csv" ? codecs_table().csv()
                                             : codecs_table().text();
  BLKPRESS_TRY(write_output(output, text));
  return ExitStatus::done;
}

}  // namespace blkpress::tool
