#include "pool/dataset_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace blkpress {
namespace {

Error corrupt(std::string message) { return {ErrorKind::corrupt, std::move(message)}; }
Error wrong(std::string message) { return {ErrorKind::usage, std::move(message)}; }

// As OpenZFS: module/zcommon/zfs_namecheck.c:valid_char.
bool allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == ':' || c == ' ';
}

Status check_part(std::string_view part, std::string_view what) {
  if (part.empty() || part == "." || part == "..") {
    return wrong(fmt::format("{} has a part '{}', which is not a name", what, part));
  }
  if (!std::all_of(part.begin(), part.end(), allowed)) {
    return wrong(
        fmt::format("{} has a part '{}' with other characters than letters, digits, blanks and -_.:", what, part));
  }
  return ok();
}

std::uint64_t size_property(const Dataset& dataset, std::string_view name) {
  const auto found = dataset.properties.find(name);
  if (found == dataset.properties.end()) return 0;
  std::uint64_t value = 0;
  for (const char c : found->second) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

}  // namespace

std::pair<std::string_view, std::string_view> split_snapshot(std::string_view name) {
  const std::size_t at = name.find('@');
  if (at == std::string_view::npos) return {name, {}};
  return {name.substr(0, at), name.substr(at + 1)};
}

std::pair<std::string_view, std::string_view> split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {{}, path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

Status check_dataset_path(std::string_view path) {
  const std::string what = fmt::format("dataset name '{}'", path);
  if (path.size() > kDatasetPathMax) {
    return wrong(fmt::format("dataset name of {} bytes is longer than {}", path.size(), kDatasetPathMax));
  }
  if (path.find('@') != std::string_view::npos) return wrong(what + " is a snapshot's");
  if (std::count(path.begin(), path.end(), '/') >= kDatasetDepthMax) {
    return wrong(fmt::format("{} has more than {} parts", what, kDatasetDepthMax));
  }
  for (std::string_view rest = path;;) {
    const std::size_t slash = rest.find('/');
    BLKPRESS_TRY(check_part(rest.substr(0, slash), what));
    if (slash == std::string_view::npos) return ok();
    rest.remove_prefix(slash + 1);
  }
}

Status check_snapshot_name(std::string_view name) {
  if (name.size() > kDatasetPathMax) {
    return wrong(fmt::format("snapshot name of {} bytes is longer than {}", name.size(), kDatasetPathMax));
  }
  return check_part(name, fmt::format("snapshot name '{}'", name));
}

Status DatasetTable::load(Btree& pool_tree) {
  std::optional<Error> error;
  std::map<std::uint64_t, std::map<std::string, std::string, std::less<>>> properties_of;
  const auto visit = [&](std::string_view key, std::string_view value) {
    if (key.size() < 9) {
      error = corrupt("pool's tree: a key is too short");
    } else if (const std::uint64_t id = key_number_at(key, 1); key[0] == kDatasetKey && key.size() == 9) {
      auto dataset = Dataset::decode(id, value);
      if (!dataset) error = dataset.error();
      if (dataset) datasets_.emplace(id, std::move(*dataset));
    } else if (key[0] == kSnapshotKey && key.size() == 9) {
      auto snapshot = Snapshot::decode(id, value);
      if (!snapshot) error = snapshot.error();
      if (snapshot) snapshots_.emplace(id, std::move(*snapshot));
    } else if (key[0] == kPropertyKey) {
      properties_of[id].emplace(key.substr(9), value);
    } else {
      error = corrupt("pool's tree: a key is out of place");
    }
    if (datasets_.size() + snapshots_.size() + properties_of.size() > 2 * kDatasetsMax) {
      error = corrupt(fmt::format("pool's tree: more than {} datasets and snapshots", kDatasetsMax));
    }
    return !error;
  };
  for (const char kind : {kDatasetKey, kSnapshotKey, kPropertyKey}) {
    BLKPRESS_TRY(pool_tree.scan(std::string(1, kind), std::string(1, static_cast<char>(kind + 1)), visit));
    if (error) return *error;
  }
  for (auto& [id, properties] : properties_of) {
    Dataset* of = dataset(id);
    if (of == nullptr) return corrupt(fmt::format("pool's tree: properties of dataset {}, which is not there", id));
    of->properties = std::move(properties);
  }
  return link();
}

Status DatasetTable::link() {
  for (auto& [id, dataset] : datasets_) {
    if (id == 0 || snapshots_.contains(id)) return corrupt(fmt::format("dataset {}: its number is in use twice", id));
    for (const std::string_view name : {"quota", "reservation"}) {
      const auto value = dataset->properties.find(name);
      if (value == dataset->properties.end()) continue;
      const bool digits =
          std::all_of(value->second.begin(), value->second.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (!digits || value->second.size() > 19) return corrupt(fmt::format("dataset {}: {} is not a size", id, name));
    }
    dataset->quota = size_property(*dataset, "quota");
    dataset->reservation = size_property(*dataset, "reservation");
    if (dataset->parent == 0) {
      if (root_ != nullptr) return corrupt("pool's tree: there are two roots");
      root_ = dataset.get();
      continue;
    }
    Dataset* parent = this->dataset(dataset->parent);
    if (parent == nullptr) return corrupt(fmt::format("dataset {}: its parent is not there", id));
    dataset->parent_dataset = parent;
    if (!parent->children.emplace(dataset->name, dataset.get()).second) {
      return corrupt(fmt::format("dataset {}: its name is in use twice", id));
    }
  }
  if (root_ == nullptr) return corrupt("pool's tree: there is no root");
  // Whoever is not below the root is below itself.
  std::size_t reached = 0;
  std::vector<std::pair<Dataset*, unsigned>> to_visit = {{root_, 0}};
  while (!to_visit.empty()) {
    const auto [dataset, depth] = to_visit.back();
    to_visit.pop_back();
    ++reached;
    if (depth > kDatasetDepthMax) return corrupt(fmt::format("dataset {}: too deep", dataset->id));
    for (const auto& [name, child] : dataset->children) to_visit.emplace_back(child, depth + 1);
  }
  if (reached != datasets_.size()) return corrupt("pool's tree: a dataset is below itself");
  for (auto& [id, snapshot] : snapshots_) {
    Dataset* of = dataset(snapshot->dataset);
    if (of == nullptr) return corrupt(fmt::format("snapshot {}: its dataset is not there", id));
    of->snapshot_list.push_back(snapshot.get());
  }
  for (auto& [id, dataset] : datasets_) {
    auto& list = dataset->snapshot_list;
    std::stable_sort(list.begin(), list.end(), [](const Snapshot* a, const Snapshot* b) { return a->txg < b->txg; });
    if (dataset->origin == 0) continue;
    Snapshot* origin = snapshot(dataset->origin);
    if (origin == nullptr) return corrupt(fmt::format("dataset {}: its origin is not there", id));
    origin->clones.push_back(id);
    dataset->origin_txg = origin->txg;
  }
  return ok();
}

Dataset* DatasetTable::dataset(std::uint64_t id) {
  const auto found = datasets_.find(id);
  return found == datasets_.end() ? nullptr : found->second.get();
}

Snapshot* DatasetTable::snapshot(std::uint64_t id) {
  const auto found = snapshots_.find(id);
  return found == snapshots_.end() ? nullptr : found->second.get();
}

Dataset* DatasetTable::find(std::string_view path) {
  Dataset* dataset = root_;
  while (!path.empty() && dataset != nullptr) {
    const std::size_t slash = path.find('/');
    const auto child = dataset->children.find(path.substr(0, slash));
    dataset = child == dataset->children.end() ? nullptr : child->second;
    if (slash == std::string_view::npos) return dataset;
    path.remove_prefix(slash + 1);
    if (path.empty()) return nullptr;  // "a/"
  }
  return dataset;
}

Snapshot* DatasetTable::find_snapshot(std::string_view name) {
  const auto [path, short_name] = split_snapshot(name);
  Dataset* dataset = find(path);
  if (dataset == nullptr) return nullptr;
  for (Snapshot* snapshot : dataset->snapshot_list) {
    if (snapshot->name == short_name) return snapshot;
  }
  return nullptr;
}

Result<Dataset*> DatasetTable::need(std::string_view path) {
  Dataset* dataset = find(path);
  if (dataset == nullptr) return wrong(fmt::format("there is no dataset '{}'", path));
  return dataset;
}

Result<Snapshot*> DatasetTable::need_snapshot(std::string_view name) {
  if (name.find('@') == std::string_view::npos) return wrong(fmt::format("'{}' is not a snapshot", name));
  Snapshot* snapshot = find_snapshot(name);
  if (snapshot == nullptr) return wrong(fmt::format("there is no snapshot '{}'", name));
  return snapshot;
}

std::string DatasetTable::path_of(const Dataset& dataset) const {
  if (dataset.parent_dataset == nullptr) return {};
  std::string path = dataset.name;
  for (const Dataset* at = dataset.parent_dataset; at->parent_dataset != nullptr; at = at->parent_dataset) {
    path = at->name + "/" + path;
  }
  return path;
}

std::string DatasetTable::name_of(const Snapshot& snapshot) {
  return path_of(*dataset(snapshot.dataset)) + "@" + snapshot.name;
}

OpenTree* DatasetTable::open_tree(std::uint64_t owner) {
  if (Dataset* of = dataset(owner)) return &of->open;
  if (Snapshot* of = snapshot(owner)) return &of->open;
  return nullptr;
}

std::vector<Dataset*> DatasetTable::below(Dataset& dataset) {
  std::vector<Dataset*> list = {&dataset};
  for (const auto& [name, child] : dataset.children) {
    const std::vector<Dataset*> more = below(*child);
    list.insert(list.end(), more.begin(), more.end());
  }
  return list;
}

Dataset& DatasetTable::add(std::unique_ptr<Dataset> dataset) {
  Dataset& added = *dataset;
  if (added.parent == 0) {
    root_ = &added;
  } else {
    added.parent_dataset = this->dataset(added.parent);
    added.parent_dataset->children.emplace(added.name, &added);
  }
  if (Snapshot* origin = snapshot(added.origin)) {
    origin->clones.push_back(added.id);
    added.origin_txg = origin->txg;
  }
  datasets_.emplace(added.id, std::move(dataset));
  return added;
}

Snapshot& DatasetTable::add(std::unique_ptr<Snapshot> snapshot) {
  Snapshot& added = *snapshot;
  dataset(added.dataset)->snapshot_list.push_back(&added);
  snapshots_.emplace(added.id, std::move(snapshot));
  return added;
}

void DatasetTable::remove(Dataset& dataset) {
  BLKPRESS_ASSERT(dataset.children.empty() && dataset.snapshot_list.empty() && dataset.parent_dataset != nullptr);
  dataset.parent_dataset->children.erase(dataset.name);
  leave_origin(dataset);
  datasets_.erase(dataset.id);
}

void DatasetTable::leave_origin(Dataset& dataset) {
  if (Snapshot* origin = snapshot(dataset.origin)) std::erase(origin->clones, dataset.id);
  dataset.origin = 0;
}

void DatasetTable::remove(Snapshot& snapshot) {
  std::erase(dataset(snapshot.dataset)->snapshot_list, &snapshot);
  snapshots_.erase(snapshot.id);
}

void DatasetTable::move(Dataset& dataset, Dataset& parent, std::string_view name) {
  dataset.parent_dataset->children.erase(dataset.name);
  dataset.name = name;
  dataset.parent = parent.id;
  dataset.parent_dataset = &parent;
  parent.children.emplace(dataset.name, &dataset);
}

// OpenZFS, module/zfs/dsl_dir.c:parent_delta: a parent is charged what a child uses, or what is reserved for it.
std::uint64_t DatasetTable::roll_up_used(Dataset& dataset) {
  dataset.used_by_children = 0;
  for (const auto& [name, child] : dataset.children) {
    dataset.used_by_children += std::max(roll_up_used(*child), child->reservation);
  }
  dataset.used = dataset.head.allocated() + dataset.snapshots.allocated() + dataset.used_by_children;
  return dataset.used;
}

// OpenZFS, module/zfs/dsl_dir.c:dsl_dir_space_available.
void DatasetTable::roll_up_available(Dataset& dataset, std::uint64_t available) {
  if (dataset.parent_dataset != nullptr && dataset.reservation > dataset.used) {
    available += dataset.reservation - dataset.used;
  }
  if (dataset.quota != 0) {
    available = std::min(available, dataset.quota > dataset.used ? dataset.quota - dataset.used : 0);
  }
  dataset.available = available;
  for (const auto& [name, child] : dataset.children) roll_up_available(*child, available);
}

void DatasetTable::roll_up(std::uint64_t capacity) {
  const std::uint64_t used = roll_up_used(*root_);
  roll_up_available(*root_, capacity > used ? capacity - used : 0);
}

bool DatasetTable::has_limits() const {
  return std::any_of(datasets_.begin(), datasets_.end(),
                     [](const auto& entry) { return entry.second->quota != 0 || entry.second->reservation != 0; });
}

DatasetSpace DatasetTable::space() const {
  DatasetSpace space;
  for (const auto& [id, dataset] : datasets_) {
    space += dataset->head;
    space += dataset->snapshots;
  }
  return space;
}

}  // namespace blkpress
