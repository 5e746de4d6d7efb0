#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "blkpress/sim/host.hpp"
#include "host/toml_fields.hpp"

namespace blkpress::sim {

namespace {

// A thousand times as fast or as slow as the machine of the table is no host that the table speaks of.
constexpr double kSpeedMin = 1e-3;
constexpr double kSpeedMax = 1e3;

// One known time of one codec on the host, against the table's: "it takes milliseconds for bytes of that content".
Result<double> speed_from(TomlFields known, const CodecCostTable& table) {
  const std::string name = known.text("compression");
  const std::string content = known.text("content");
  const double bytes = known.number("bytes", 1, 1e15);
  const double milliseconds = known.number("milliseconds", 1e-6, 1e12);
  BLKPRESS_TRY(known.status());
  const Result<Compression> compression = parse_compression(name);
  if (!compression) return Error{ErrorKind::usage, fmt::format("{}: {}", known.name(), compression.error().message)};
  const CodecCost* cost = table.find(*compression, content);
  if (cost == nullptr || cost->compress_ns_per_byte <= 0) {
    return Error{ErrorKind::usage, fmt::format("{}: the cost table has no {} on {}", known.name(), name, content)};
  }
  const double speed = cost->compress_ns_per_byte * bytes / (milliseconds * 1e6);
  if (speed >= kSpeedMin && speed <= kSpeedMax) return speed;
  return Error{ErrorKind::usage, fmt::format("{}: the known time makes speed {:g}, which is not from {} to {}",
                                             known.name(), speed, kSpeedMin, kSpeedMax)};
}

Result<double> speed_of(TomlFields& file, const CodecCostTable& table) {
  if (file.is_table("speed")) return speed_from(file.child("speed"), table);
  const double speed = file.number("speed", kSpeedMin, kSpeedMax);
  BLKPRESS_TRY(file.status());
  return speed;
}

}  // namespace

Result<HostModel> HostModel::load(const std::string& path, const std::vector<HostSetting>& set) {
  auto file = TomlFields::load(path, set);
  if (!file) return file.error();
  HostModel host;
  host.name_ = file->text("name", std::filesystem::path(path).stem().string());
  host.cores_ = static_cast<std::uint32_t>(file->whole("cores", 1, 4096));
  host.memory_bytes_ = static_cast<std::uint64_t>(file->number("memory_mib", 1, 1e9) * static_cast<double>(kMiB));
  const std::string costs = file->text("costs");
  file->known("speed");
  BLKPRESS_TRY(file->status());
  Result<CodecCostTable> table = load_codec_costs((std::filesystem::path(path).parent_path() / costs).string());
  if (!table) return table.error();
  const Result<double> speed = speed_of(*file, *table);
  if (!speed) return speed.error();
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
