#include <fmt/format.h>

#include <iterator>

#include "blkpress/sim/host.hpp"
#include "host/toml_file.hpp"

namespace blkpress::sim {

namespace {

// The name without a level decides whether this build has the codec at all.
bool in_this_build(std::string_view compression) {
  for (const CodecInfo& codec : codecs()) {
    if (compression == codec.name) return true;
    const bool prefix =
        compression.size() > codec.name.size() && compression.substr(0, codec.name.size()) == codec.name;
    if (prefix && compression[codec.name.size()] == '-') return true;
  }
  return false;
}

Status append_row(const toml::table& row, const std::string& path, std::vector<CodecCost>& costs) {
  const auto name = row["compression"].value<std::string>();
  const auto content = row["content"].value<std::string>();
  const auto compress = row["compress_ns_per_byte"].value<double>();
  const auto decompress = row["decompress_ns_per_byte"].value<double>();
  if (!name || !content || !compress || !decompress || !(*compress >= 0) || !(*decompress >= 0)) {
    return Error{ErrorKind::usage, fmt::format("{}:{}: a cost needs compression, content, compress_ns_per_byte and "
                                               "decompress_ns_per_byte, both 0 or more",
                                               path, row.source().begin.line)};
  }
  if (!in_this_build(*name)) return ok();
  const Result<Compression> compression = parse_compression(*name);
  if (!compression) {
    return Error{ErrorKind::usage,
                 fmt::format("{}:{}: {}", path, row.source().begin.line, compression.error().message)};
  }
  costs.push_back({*compression, *content, *compress, *decompress});
  return ok();
}

}  // namespace

const CodecCost* CodecCostTable::find(const Compression& compression, std::string_view content) const {
  for (const CodecCost& cost : costs) {
    if (cost.compression == compression && cost.content == content) return &cost;
  }
  return nullptr;
}

Result<CodecCostTable> load_codec_costs(const std::string& path) {
  const Result<toml::table> file = read_toml(path);
  if (!file) return file.error();
  CodecCostTable table;
  table.machine = (*file)["machine"].value_or(std::string());
  table.record_bytes = (*file)["record_bytes"].value_or(std::uint64_t{0});
  table.repetitions = (*file)["repetitions"].value_or(std::uint64_t{0});
  if (const toml::array* libraries = (*file)["libraries"].as_array()) {
    for (const toml::node& library : *libraries) table.libraries.push_back(library.value_or(std::string()));
  }
  const toml::array* rows = (*file)["costs"].as_array();
  if (rows == nullptr) return Error{ErrorKind::usage, fmt::format("{}: costs is missing, an array of tables", path)};
  for (const toml::node& row : *rows) {
    if (!row.is_table()) return Error{ErrorKind::usage, fmt::format("{}: a cost is not a table", path)};
    BLKPRESS_TRY(append_row(*row.as_table(), path, table.costs));
  }
  return table;
}

std::string to_toml(const CodecCostTable& table) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(
      out,
      "# What the codecs cost: CPU time of one thread in ns per byte of the uncompressed record.\n"
      "# Written by `blkpress calibrate`. Each is the least of the repetitions; a record is compressed into\n"
      "# seven eighths of its size, as OpenZFS does, so a codec that gives up early is cheap.\n"
      "# What does not fit is stored raw; its decompression was timed all the same. 0: the codec never makes any of "
      "it.\n");
  fmt::format_to(out, "machine = \"{}\"\nrecord_bytes = {}\nrepetitions = {}\nlibraries = [\n", table.machine,
                 table.record_bytes, table.repetitions);
  for (const std::string& library : table.libraries) fmt::format_to(out, "  \"{}\",\n", library);
  fmt::format_to(out, "]\ncosts = [\n");
  for (const CodecCost& cost : table.costs) {
    fmt::format_to(out,
                   "  {{ compression = \"{}\", content = \"{}\", compress_ns_per_byte = {:.6g}, "
                   "decompress_ns_per_byte = {:.6g} }},\n",
                   to_string(cost.compression), cost.content, cost.compress_ns_per_byte, cost.decompress_ns_per_byte);
  }
  fmt::format_to(out, "]\n");
  return text;
}

}  // namespace blkpress::sim
