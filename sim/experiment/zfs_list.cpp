#include "experiment/zfs_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "blkpress/ledger.hpp"
#include "blkpress/pool_space.hpp"
#include "blkpress/size_format.hpp"

namespace blkpress::sim {

namespace {

struct Line {
  std::string name;
  std::string config;
  std::string mountpoint;
  std::uint64_t used;
  std::uint64_t referenced;
  std::uint64_t ratio_x100;
};

// The file as it would be stored if it compressed by that ratio: only the size of its data differs.
ObjectSums with_ratio(ObjectSums file, double ratio) {
  const auto psize = static_cast<std::uint64_t>(static_cast<double>(file.data.lsize) / ratio);
  file.data.dsize = file.data.asize = file.data.psize = round_up(psize, 512);
  return file;
}

// Before feature flags sizes print without "B".
std::string size(std::uint64_t bytes) { return format_size(bytes, SizeUnit::bare); }

std::string table(const std::vector<Line>& lines, std::uint64_t available) {
  std::size_t width = 4;
  for (const Line& line : lines) width = std::max(width, line.name.size());
  std::string text = fmt::format("{:<{}}   USED  AVAIL  REFER  MOUNTPOINT\n", "NAME", width);
  for (const Line& line : lines) {
    text += fmt::format("{:<{}}  {:>5}  {:>5}  {:>5}  {}\n", line.name, width, size(line.used), size(available),
                        size(line.referenced), line.mountpoint);
  }
  text += fmt::format("\n{:<{}}  PROPERTY       VALUE           SOURCE\n", "NAME", width);
  for (const Line& line : lines) {
    text += fmt::format("{:<{}}  compressratio  {:<14}  -\n", line.name, width, format_ratio(line.ratio_x100));
  }
  return text;
}

}  // namespace

Result<ZfsList> zfs_list(const ListedPool& pool, std::span<const RunFiles> runs) {
  // An empty dataset is metadata in two copies, which counts the same on both sides of a ratio, once.
  Ledger root(EmptyDataset{pool.root_dataset, pool.root_dataset / 2, pool.root_dataset / 2});
  std::vector<Line> lines;
  for (const ListedDataset& dataset : pool.datasets) {
    const RunFiles* found = nullptr;
    for (const RunFiles& run : runs) found = run.run == dataset.run ? &run : found;
    if (found == nullptr) {
      return Error{ErrorKind::usage, fmt::format("dataset {}: there is no run '{}'", dataset.name, dataset.run)};
    }
    Ledger ledger(EmptyDataset{pool.empty_dataset, pool.empty_dataset / 2, pool.empty_dataset / 2});
    Ledger measured = ledger;
    for (const ObjectSums& file : found->files) {
      measured.add(file);
      ledger.add(dataset.ratio ? with_ratio(file, *dataset.ratio) : file);
    }
    root.add_child(ledger);
    lines.push_back({pool.name + "/" + dataset.name, dataset.config, pool.mountpoint + "/" + dataset.name,
                     ledger.used(), ledger.referenced(), measured.compressratio_x100()});
  }
  lines.insert(lines.begin(), {pool.name, pool.config, pool.mountpoint, root.used() + pool.metadata, root.referenced(),
                               root.compressratio_x100()});
  const std::uint64_t available = available_before_feature_flags(pool.space, root.used() + pool.metadata);
  ZfsList list;
  list.text = table(lines, available);
  if (std::any_of(pool.datasets.begin(), pool.datasets.end(), [](const auto& dataset) { return dataset.ratio; })) {
    list.text +=
        "\nSizes follow from the ratios that the document prints; the ratios of datasets are of generated data.\n";
  }
  for (const Line& line : lines) {
    list.numbers.push_back({line.config, {"zfs.USED", size(line.used)}});
    list.numbers.push_back({line.config, {"zfs.AVAIL", size(available)}});
    list.numbers.push_back({line.config, {"zfs.REFER", size(line.referenced)}});
    list.numbers.push_back({line.config, {"zfs.compressratio", format_ratio(line.ratio_x100)}});
  }
  return list;
}

}  // namespace blkpress::sim
