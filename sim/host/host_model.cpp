#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>

#include "blkpress/sim/host.hpp"
#include "host/toml_file.hpp"

namespace blkpress::sim {

namespace {

// One known time of one codec on the host, against the table's: "it takes milliseconds for bytes of that content".
Result<double> speed_from(const toml::table& known, const std::string& path, const CodecCostTable& table) {
  const auto name = known["compression"].value<std::string>();
  const auto content = known["content"].value<std::string>();
  const auto bytes = known["bytes"].value<double>();
  const auto milliseconds = known["milliseconds"].value<double>();
  if (!name || !content || !bytes || !milliseconds || !(*milliseconds > 0) || !(*bytes > 0)) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: speed needs compression, content, bytes and milliseconds above 0", path)};
  }
  const Result<Compression> compression = parse_compression(*name);
  if (!compression) return Error{ErrorKind::usage, fmt::format("{}: {}", path, compression.error().message)};
  const CodecCost* cost = table.find(*compression, *content);
  if (cost == nullptr || cost->compress_ns_per_byte <= 0) {
    return Error{ErrorKind::usage, fmt::format("{}: the cost table has no {} on {}", path, *name, *content)};
  }
  return cost->compress_ns_per_byte * *bytes / (*milliseconds * 1e6);
}

Result<double> speed_of(const toml::table& file, const std::string& path, const CodecCostTable& table) {
  if (const toml::table* known = file["speed"].as_table()) return speed_from(*known, path, table);
  const double speed = file["speed"].value_or(0.0);
  if (!(speed > 0)) {
    return Error{ErrorKind::usage,
                 fmt::format("{}: speed is missing, a factor above 0 or a table with one known time", path)};
  }
  return speed;
}

}  // namespace

Result<HostModel> HostModel::load(const std::string& path) {
  const Result<toml::table> file = read_toml(path);
  if (!file) return file.error();
  const auto cores = (*file)["cores"].value<std::int64_t>();
  const auto memory_mib = (*file)["memory_mib"].value<double>();
  const auto costs = (*file)["costs"].value<std::string>();
  if (!cores || *cores < 1 || *cores > 4096) {
    return Error{ErrorKind::usage, fmt::format("{}: cores is not a number from 1 to 4096", path)};
  }
  if (!memory_mib || !(*memory_mib >= 1) || !(*memory_mib <= 1e9)) {
    return Error{ErrorKind::usage, fmt::format("{}: memory_mib is not a number from 1 to 1e9", path)};
  }
  if (!costs) return Error{ErrorKind::usage, fmt::format("{}: costs is missing, the name of a cost table", path)};
  Result<CodecCostTable> table = load_codec_costs((std::filesystem::path(path).parent_path() / *costs).string());
  if (!table) return table.error();
  const Result<double> speed = speed_of(*file, path, *table);
  if (!speed) return speed.error();
  HostModel host;
  host.name_ = (*file)["name"].value_or(std::filesystem::path(path).stem().string());
  host.cores_ = static_cast<std::uint32_t>(*cores);
  host.memory_bytes_ = static_cast<std::uint64_t>(*memory_mib * static_cast<double>(kMiB));
  host.speed_ = *speed;
  host.table_ = std::move(*table);
  return host;
}

Result<const CodecCost*> HostModel::row(const Compression& compression, std::string_view content) const {
  if (const CodecCost* cost = table_.find(compression, content)) return cost;
  std::vector<std::string> contents;
  for (const CodecCost& cost : table_.costs) {
    if (cost.compression == compression) contents.push_back(cost.content);
  }
  return Error{ErrorKind::usage,
               fmt::format("host {} has no cost of {} on {}; it has {}", name_, to_string(compression), content,
                           contents.empty() ? "none of that codec" : fmt::format("{}", fmt::join(contents, ", ")))};
}

Result<Duration> HostModel::compress_time(const Compression& compression, std::string_view content,
                                          std::uint64_t bytes) const {
  const Result<const CodecCost*> cost = row(compression, content);
  if (!cost) return cost.error();
  return duration_of((*cost)->compress_ns_per_byte * static_cast<double>(bytes) / speed_ * 1e-9);
}

Result<Duration> HostModel::decompress_time(const Compression& compression, std::string_view content,
                                            std::uint64_t bytes) const {
  const Result<const CodecCost*> cost = row(compression, content);
  if (!cost) return cost.error();
  return duration_of((*cost)->decompress_ns_per_byte * static_cast<double>(bytes) / speed_ * 1e-9);
}

}  // namespace blkpress::sim
