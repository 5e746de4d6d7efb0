#include <fmt/format.h>

#include <iterator>

#include "blkpress/sim/host.hpp"
#include "host/toml_fields.hpp"

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

// 100 microseconds a byte: beyond any codec on any machine, and far from where times overflow.
constexpr double kCostMax = 1e5;

Status append_row(TomlFields row, std::vector<CodecCost>& costs) {
  const std::string name = row.text("compression");
  const std::string content = row.text("content");
  const double compress = row.number("compress_ns_per_byte", 0, kCostMax);
  const double decompress = row.number("decompress_ns_per_byte", 0, kCostMax);
  BLKPRESS_TRY(row.status());
  if (!in_this_build(name)) return ok();
  const Result<Compression> compression = parse_compression(name);
  if (!compression) return row.error(compression.error().message);
  costs.push_back({*compression, content, compress, decompress});
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
  auto file = TomlFields::load(path);
  if (!file) return file.error();
  CodecCostTable table;
  table.machine = file->text("machine", "");
  table.record_bytes = file->whole("record_bytes", 0, kGiB, 0);
  table.repetitions = file->whole("repetitions", 0, 1'000'000'000, 0);
  table.libraries = file->texts("libraries");
  std::vector<TomlFields> rows = file->tables("costs");
  if (!file->has("costs"))
    return Error{ErrorKind::usage, fmt::format("{}: costs is missing, an array of tables", path)};
  BLKPRESS_TRY(file->status());
  for (TomlFields& row : rows) BLKPRESS_TRY(append_row(std::move(row), table.costs));
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
      "it.\n"
      "# vm-image was measured in records of 8 KiB, the blocks of a volume; all else in record_bytes.\n");
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
