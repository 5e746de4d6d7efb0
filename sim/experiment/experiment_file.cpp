#include "experiment/experiment_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiment/page_cache_file.hpp"
#include "host/toml_fields.hpp"

namespace blkpress::sim {

namespace {

// Properties or settings: a table of plain values.
Result<TextSettings> text_table(TomlFields& fields, std::string_view key) {
  TextSettings settings;
  const toml::table* table = fields.table(key);
  if (table == nullptr) return settings;
  for (const auto& [name, node] : *table) {
    const auto text = plain_text(node);
    if (!text) return fields.error(node, fmt::format("{} is neither text nor a number", name.str()));
    settings.emplace_back(name.str(), *text);
  }
  return settings;
}

Result<std::vector<Property>> property_table(TomlFields& fields, std::string_view key) {
  auto settings = text_table(fields, key);
  if (!settings) return settings.error();
  std::vector<Property> properties;
  for (auto& [name, value] : *settings) properties.push_back({name, value});
  return properties;
}

Result<UniformMixture> mixture(TomlFields& fields, std::string_view key) {
  UniformMixture mixture;
  const toml::array* parts = fields.array(key);
  if (parts == nullptr) return mixture;
  double total = 0;
  for (const toml::node& node : *parts) {
    const toml::array* part = node.as_array();
    double values[3] = {};
    bool good = part != nullptr && part->size() == 3;
    for (std::size_t i = 0; good && i < 3; ++i) {
      const auto value = part->get(i)->value<double>();
      good = value.has_value() && *value >= 0 && *value <= 1e6;
      if (good) values[i] = *value;
    }
    if (!good || values[0] > values[1]) return fields.error(node, fmt::format("{}: not [low, high, probability]", key));
    mixture.parts.push_back({duration_of(values[0] * 1e-6).ns, duration_of(values[1] * 1e-6).ns, values[2]});
    total += values[2];
  }
  if (total < 0.999 || total > 1.001) {
    return fields.error(*parts, fmt::format("{}: the probabilities add up to {}, not 1", key, total));
  }
  return mixture;
}

// [zfs_write]
Status read_write_side(TomlFields fields, ZfsWriteSettings& write) {
  const std::string rotational = fields.text("rotational", "yes");
  if (rotational != "yes" && rotational != "no") {
    return Error{ErrorKind::usage, fmt::format("{}: rotational = {} is neither yes nor no", fields.name(), rotational)};
  }
  write.rotational = rotational == "yes";
  if (fields.has("dirty_data_max_mib")) {
    write.dirty_data_max =
        static_cast<std::uint64_t>(fields.number("dirty_data_max_mib", 0.5, 1e6) * static_cast<double>(kMiB));
  }
  write.metadata_phase = duration_of(fields.number("metadata_phase_ms", 0, 1e5, 0.0) * 1e-3);
  write.metadata_share = fields.number("metadata_share", 0, 10, 0.0);
  write.timer_slack = duration_of(fields.number("timer_slack_us", 0, 1e6, 0.0) * 1e-6);
  write.speed_variation = fields.number("speed_variation", 0, 0.2, 0.0);
  auto copy_time = mixture(fields, "copy_us");
  if (!copy_time) return copy_time.error();
  write.copy_time = std::move(*copy_time);
  return fields.status();
}

// "hit_us": [quantile, us] points.
Result<QuantileTable> quantiles(TomlFields& fields, std::string_view key) {
  QuantileTable table;
  const toml::array* points = fields.array(key);
  if (points == nullptr) return table;
  for (const toml::node& node : *points) {
    const toml::array* point = node.as_array();
    const auto quantile = point == nullptr || point->size() != 2 ? std::nullopt : point->get(0)->value<double>();
    const auto us = point == nullptr || point->size() != 2 ? std::nullopt : point->get(1)->value<double>();
    if (!quantile || !us || !(*quantile >= 0 && *quantile <= 1) || !(*us >= 0 && *us <= 1e6)) {
      return fields.error(node, fmt::format("{}: not [quantile, us]", key));
    }
    const std::int64_t ns = duration_of(*us * 1e-6).ns;
    if (!table.points.empty() && (*quantile <= table.points.back().quantile || ns < table.points.back().ns)) {
      return fields.error(node, fmt::format("{}: quantiles must rise and times must not fall", key));
    }
    table.points.push_back({*quantile, ns});
  }
  if (table.points.size() < 2 || table.points.front().quantile != 0 || table.points.back().quantile != 1) {
    return fields.error(*points, fmt::format("{}: the first quantile is not 0, or the last not 1", key));
  }
  return table;
}

// [zfs_read]
Status read_read_side(TomlFields fields, ZfsReadSettings& read) {
  if (fields.has("arc_max_mib")) {
    read.arc_max = static_cast<std::uint64_t>(fields.number("arc_max_mib", 1, 1e8) * static_cast<double>(kMiB));
  }
  read.scattered_share = fields.number("scattered_share", 0, 1, 0.0);
  read.scattered_region_records = fields.number("scattered_region_records", 1, 1e9, 100.0);
  read.scattered_run_records = fields.number("scattered_run_records", 1, 1e6, 2.0);
  auto hit_time = quantiles(fields, "hit_us");
  if (!hit_time) return hit_time.error();
  read.hit_time = std::move(*hit_time);
  return fields.status();
}

// What a run mounts btrfs or f2fs with.
Status read_mount_options(TomlFields& fields, ExperimentRun& run) {
  const auto btrfs = property_table(fields, "btrfs");
  if (!btrfs) return btrfs.error();
  const auto f2fs = property_table(fields, "f2fs");
  if (!f2fs) return f2fs.error();
  auto btrfs_options = BtrfsOptions::parse(*btrfs);
  auto f2fs_options = F2fsOptions::parse(*f2fs);
  if (!btrfs_options) return Error{ErrorKind::usage, fields.name() + ": btrfs: " + btrfs_options.error().message};
  if (!f2fs_options) return Error{ErrorKind::usage, fields.name() + ": f2fs: " + f2fs_options.error().message};
  run.btrfs = *btrfs_options;
  run.f2fs = *f2fs_options;
  return ok();
}

Result<ExperimentRun> read_run(TomlFields fields) {
  ExperimentRun run;
  run.name = fields.text("name");
  run.part = fields.text("part");
  run.config = fields.text("config");
  run.workload = fields.text("workload");
  auto zfs = property_table(fields, "zfs");
  if (!zfs) return zfs.error();
  run.zfs = std::move(*zfs);
  run.filesystem = fields.text("filesystem", "");
  BLKPRESS_TRY(read_mount_options(fields, run));
  auto settings = text_table(fields, "settings");
  if (!settings) return settings.error();
  run.settings = std::move(*settings);
  BLKPRESS_TRY(fields.status());
  return run;
}

// [run_defaults]: "fio.sample" is a default of every run of the workload fio.
void apply_defaults(const TextSettings& defaults, ExperimentRun& run) {
  const std::string prefix = run.workload + ".";
  for (const auto& [name, value] : defaults) {
    if (!name.starts_with(prefix)) continue;
    const std::string key = name.substr(prefix.size());
    const auto same = [&](const auto& setting) { return setting.first == key; };
    if (std::none_of(run.settings.begin(), run.settings.end(), same)) run.settings.emplace_back(key, value);
  }
}

Result<ListedPool> read_pool(TomlFields fields) {
  ListedPool pool;
  pool.name = fields.text("name");
  pool.mountpoint = fields.text("mountpoint");
  pool.part = fields.text("part");
  pool.config = fields.text("config");
  const auto bytes = [&](std::string_view key) {
    return static_cast<std::uint64_t>(fields.number(key, 0, 1e12) * static_cast<double>(kKiB));
  };
  pool.space = bytes("space_kib");
  pool.metadata = bytes("metadata_kib");
  pool.root_dataset = bytes("root_dataset_kib");
  pool.empty_dataset = bytes("empty_dataset_kib");
  for (TomlFields& dataset : fields.tables("dataset")) {
    pool.datasets.push_back({dataset.text("name"), dataset.text("config"), dataset.text("run")});
    if (dataset.has("ratio")) pool.datasets.back().ratio = dataset.number("ratio", 1, 1e6);
    BLKPRESS_TRY(dataset.status());
  }
  BLKPRESS_TRY(fields.status());
  return pool;
}

Status read_world(TomlFields fields, const std::string& data, WorldOptions& world) {
  world.host_file = (std::filesystem::path(data) / "hosts" / fields.text("host")).string();
  world.device_file = (std::filesystem::path(data) / "devices" / fields.text("device")).string();
  world.filesystem = fields.text("filesystem", "zfs");
  world.time_slice = duration_of(fields.number("time_slice_ms", 0.001, 1e4, 3.0) * 1e-3);
  return fields.status();
}

}  // namespace

Result<Experiment> load_experiment(const std::string& folder, const std::string& data_directory) {
  Experiment experiment;
  experiment.folder = folder;
  experiment.id = std::filesystem::path(folder).filename().string();
  auto file = TomlFields::load((std::filesystem::path(folder) / "experiment.toml").string());
  if (!file) return file.error();
  TomlFields& fields = *file;
  experiment.title = fields.text("title");
  experiment.system = fields.text("system");
  experiment.statements = fields.texts("statements");
  BLKPRESS_TRY(read_world(fields.child("world"), data_directory, experiment.world));
  auto zfs = property_table(fields, "zfs");
  if (!zfs) return zfs.error();
  experiment.zfs = std::move(*zfs);
  BLKPRESS_TRY(read_write_side(fields.child("zfs_write"), experiment.world.write));
  BLKPRESS_TRY(read_read_side(fields.child("zfs_read"), experiment.world.read));
  BLKPRESS_TRY(read_page_cache(fields, experiment.world));
  auto inputs = text_table(fields, "inputs");
  if (!inputs) return inputs.error();
  experiment.inputs = std::move(*inputs);
  auto defaults = text_table(fields, "run_defaults");
  if (!defaults) return defaults.error();
  for (TomlFields& run : fields.tables("run")) {
    auto read = read_run(std::move(run));
    if (!read) return read.error();
    experiment.runs.push_back(std::move(*read));
  }
  if (experiment.runs.empty()) return Error{ErrorKind::usage, fmt::format("{}: there is no [[run]]", fields.name())};
  for (ExperimentRun& run : experiment.runs) apply_defaults(*defaults, run);
  if (fields.has("pool")) {
    auto pool = read_pool(fields.child("pool"));
    if (!pool) return pool.error();
    experiment.pool = std::move(*pool);
  }
  BLKPRESS_TRY(fields.status());
  return experiment;
}

}  // namespace blkpress::sim
