#include "blkpress/dataset_selection.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace blkpress::tool {
namespace {

bool takes(const std::vector<std::string>& types, DatasetType type) {
  const auto named = [&](std::string_view name) { return std::find(types.begin(), types.end(), name) != types.end(); };
  if (named("all")) return true;
  switch (type) {
    case DatasetType::filesystem:
      return named("filesystem") || named("fs");
    case DatasetType::volume:
      return named("volume") || named("vol");
    case DatasetType::snapshot:
      break;
  }
  return named("snapshot") || named("snap");
}

}  // namespace

Status check_types(const std::vector<std::string>& types) {
  static constexpr std::string_view kKnown[] = {"filesystem", "fs", "volume", "vol", "snapshot", "snap", "all"};
  for (const std::string& type : types) {
    if (std::find(std::begin(kKnown), std::end(kKnown), type) == std::end(kKnown)) {
      return Error{ErrorKind::usage, fmt::format("-t {}: not one of filesystem, volume, snapshot, all", type)};
    }
  }
  return ok();
}

Result<std::vector<DatasetInfo>> select_datasets(Pool& pool, const PoolName& name, const DatasetSelection& selection) {
  auto list = pool.list(name.name);
  if (!list) return in_pool(name, list.error());
  if (name.is_snapshot()) return list;
  std::vector<std::string> types = selection.types;
  const bool given = !types.empty();
  if (!given) types = {"filesystem", "volume"};
  // As zfs(8): without -r it is what is named, and its snapshots when they alone are asked for.
  const auto depth_of = [&](const DatasetInfo& info) {
    std::string_view rest = std::string_view(info.name).substr(name.name.size());
    const auto parts = static_cast<std::uint64_t>(
        std::count_if(rest.begin(), rest.end(), [](char c) { return c == '/' || c == '@'; }));
    return name.name.empty() && !info.name.empty() && info.name.front() != '@' ? parts + 1 : parts;
  };
  const bool only_snapshots = given && !takes(types, DatasetType::filesystem) && !takes(types, DatasetType::volume);
  const std::uint64_t depth = selection.depth       ? *selection.depth
                              : selection.recursive ? UINT64_MAX
                              : only_snapshots      ? 1
                                                    : 0;
  std::erase_if(*list, [&](const DatasetInfo& info) {
    // A snapshot hangs on its dataset, so that it is one deeper; with types given it comes along.
    const bool snapshot = info.type == DatasetType::snapshot;
    const std::uint64_t deep = depth_of(info) - (snapshot && given && !only_snapshots ? 1 : 0);
    return !takes(types, info.type) || deep > depth;
  });
  return list;
}

}  // namespace blkpress::tool
