// Datasets and their properties.
#include <fmt/format.h>

#include <algorithm>

#include "blkpress/size_format.hpp"
#include "pool/pool_engine.hpp"

namespace blkpress {
namespace {

Error wrong(std::string message) { return {ErrorKind::usage, std::move(message)}; }

std::string property_key(std::uint64_t dataset, std::string_view name) {
  return std::string(1, kPropertyKey).append(key_number(dataset)).append(name);
}

std::uint64_t number_of(const std::string& digits) {
  std::uint64_t value = 0;
  for (const char c : digits) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  return value;
}

}  // namespace

void PoolEngine::forget_settings() {
  for (const auto& [id, dataset] : table_.datasets()) dataset->settings.reset();
}

// Checks name and properties, and fills in what a new dataset has. Not yet in the table.
Result<std::unique_ptr<Dataset>> PoolEngine::new_dataset(const std::string& path, bool volume,
                                                         const std::vector<Property>& properties) {
  auto dataset = std::make_unique<Dataset>();
  if (!path.empty()) {
    BLKPRESS_TRY(check_dataset_path(path));
    if (table_.find(path) != nullptr) return wrong(fmt::format("dataset '{}' exists already", path));
    const auto [parent_path, name] = split_path(path);
    const auto parent = table_.need(parent_path);
    if (!parent) return wrong(fmt::format("parent '{}' of '{}' does not exist", parent_path, path));
    if ((*parent)->volume) return wrong(fmt::format("parent '{}' of '{}' is a volume", parent_path, path));
    if (table_.datasets().size() + table_.snapshots().size() >= kDatasetsMax) {
      return wrong(fmt::format("pool has {} datasets and snapshots already", kDatasetsMax));
    }
    dataset->parent = (*parent)->id;
    dataset->name = name;
  }
  for (const Property& property : properties) {
    const auto value = checked_property(property, volume, true, codecs_);
    if (!value) return value.error();
    const PropertyInfo* info = property_named(property.name);
    dataset->properties[info == nullptr ? property.name : std::string(info->name)] = *value;
  }
  dataset->volume = volume;
  dataset->id = new_id();
  dataset->deadlist = new_id();
  dataset->guid = new_guid();
  dataset->creation_s = now();
  return dataset;
}

// A codec from outside gets its number in this pool when something is first set to it.
Status PoolEngine::number_codec(const Dataset& dataset) {
  const auto set = dataset.properties.find("compression");
  if (set == dataset.properties.end()) return ok();
  const auto compression = codecs_.parse(set->second);
  if (!compression) return compression.error();
  if (compression->is_off() || codecs_.number_of(*compression->codec) != 0) return ok();
  const std::uint8_t number = codecs_.next_own();
  if (number == 0) return wrong("pool has no number left for another codec");
  codecs_.name(number, compression->codec->name);
  return tree_->put(std::string(1, kCodecKey) + static_cast<char>(number), compression->codec->name);
}

Status PoolEngine::put_properties(const Dataset& dataset) {
  BLKPRESS_TRY(number_codec(dataset));
  for (const auto& [name, value] : dataset.properties) {
    BLKPRESS_TRY(tree_->put(property_key(dataset.id, name), value));
  }
  return ok();
}

Status PoolEngine::create_dataset(const std::string& path, std::optional<std::uint64_t> volume_bytes,
                                  const std::vector<Property>& properties) {
  BLKPRESS_TRY(changeable());
  if (path.empty()) return wrong("dataset name is empty");
  auto made = new_dataset(path, volume_bytes.has_value(), properties);
  if (!made) return made.error();
  const Dataset& parent = *table_.dataset((*made)->parent);
  if (volume_bytes) {
    // A volume's block size is its own for good, wherever it came from.
    const std::string block = effective_property(**made, "volblocksize").value;
    (*made)->properties["volblocksize"] = block;
    if (*volume_bytes == 0 || *volume_bytes > kObjectBytesMax || *volume_bytes % number_of(block) != 0) {
      return wrong(fmt::format("volume size {} is not a multiple of volblocksize {} between that and {}", *volume_bytes,
                               block, kObjectBytesMax));
    }
  }
  for (const std::string name : {"quota", "reservation"}) {
    const auto found = (*made)->properties.find(name);
    if (found == (*made)->properties.end()) continue;
    (name == "quota" ? (*made)->quota : (*made)->reservation) = number_of(found->second);
  }
  roll_up();
  if ((*made)->reservation > parent.available) {
    return Error{ErrorKind::no_space, fmt::format("reservation of {} bytes is more than the {} that are available",
                                                  (*made)->reservation, parent.available)};
  }
  BLKPRESS_TRY(drain());
  BLKPRESS_TRY(admit(table_.root(), 0));
  Dataset& dataset = table_.add(std::move(*made));
  mark_changed(dataset);
  if (Status done = put_properties(dataset); !done) return stop(done.error());
  if (volume_bytes) {
    ObjectState object;
    object.owner = dataset.id;
    object.id = dataset.next_object++;
    object.size = *volume_bytes;
    object.record_bytes = static_cast<std::uint32_t>(number_of(dataset.properties["volblocksize"]));
    object.frozen = true;
    if (Status done = put_object(object); !done) return stop(done.error());
  }
  return commit();
}

Status PoolEngine::rename(const std::string& from, const std::string& to) {
  BLKPRESS_TRY(changeable());
  if (from.find('@') != std::string::npos) {
    const auto snapshot = table_.need_snapshot(from);
    if (!snapshot) return snapshot.error();
    const auto [path, name] = split_snapshot(to);
    // "db@a" to "db@b", or to "@b".
    if (to.find('@') == std::string::npos || (!path.empty() && path != split_snapshot(from).first)) {
      return wrong(fmt::format("'{}' is not a snapshot of the same dataset as '{}'", to, from));
    }
    BLKPRESS_TRY(check_snapshot_name(name));
    const std::string whole = std::string(split_snapshot(from).first) + "@" + std::string(name);
    if (table_.find_snapshot(whole) != nullptr) return wrong(fmt::format("snapshot '{}' exists already", whole));
    BLKPRESS_TRY(drain());
    BLKPRESS_TRY(admit_metadata());
    (*snapshot)->name = name;
    if (Status done = put_snapshot(**snapshot); !done) return stop(done.error());
    return commit();
  }
  const auto dataset = table_.need(from);
  if (!dataset) return dataset.error();
  if (from.empty()) return wrong("the pool's own filesystem cannot be renamed");
  BLKPRESS_TRY(check_dataset_path(to));
  if (table_.find(to) != nullptr) return wrong(fmt::format("dataset '{}' exists already", to));
  const auto [parent_path, name] = split_path(to);
  const auto parent = table_.need(parent_path);
  if (!parent) return wrong(fmt::format("parent '{}' of '{}' does not exist", parent_path, to));
  if ((*parent)->volume) return wrong(fmt::format("parent '{}' of '{}' is a volume", parent_path, to));
  for (const Dataset* at = *parent; at != nullptr; at = at->parent_dataset) {
    if (at == *dataset) return wrong(fmt::format("'{}' would lie below itself", to));
  }
  for (const Dataset* below : table_.below(**dataset)) {
    const std::string path = to + table_.path_of(*below).substr(from.size());
    BLKPRESS_TRY(check_dataset_path(path));
  }
  BLKPRESS_TRY(drain());
  BLKPRESS_TRY(admit_metadata());
  table_.move(**dataset, **parent, name);
  forget_settings();  // other ancestors, other inherited values
  mark_changed(**dataset);
  return commit();
}

Status PoolEngine::check_limits(Dataset& dataset, const Property& property, const std::string& value) {
  const std::uint64_t bytes = number_of(value);
  roll_up();
  if (property.name == "quota" && bytes != 0 && bytes < std::max(dataset.used, dataset.reservation)) {
    return Error{ErrorKind::no_space, fmt::format("quota {} is less than the {} bytes that are used or reserved", bytes,
                                                  std::max(dataset.used, dataset.reservation))};
  }
  if (property.name == "reservation") {
    const std::uint64_t more =
        bytes > std::max(dataset.used, dataset.reservation) ? bytes - std::max(dataset.used, dataset.reservation) : 0;
    const std::uint64_t available =
        dataset.parent_dataset == nullptr ? dataset.available : dataset.parent_dataset->available;
    if (more > available) {
      return Error{ErrorKind::no_space, fmt::format("reservation {} needs {} bytes more than the {} that are available",
                                                    bytes, more, available)};
    }
  }
  return ok();
}

Status PoolEngine::set(const std::string& path, const Property& property) {
  BLKPRESS_TRY(changeable());
  if (path.find('@') != std::string::npos) return wrong("properties of a snapshot cannot be set");
  const auto found = table_.need(path);
  if (!found) return found.error();
  Dataset& dataset = **found;
  const auto value = checked_property(property, dataset.volume, false, codecs_);
  if (!value) return value.error();
  const PropertyInfo* info = property_named(property.name);
  const std::string name = info == nullptr ? property.name : std::string(info->name);
  BLKPRESS_TRY(drain());
  if (name == "volsize") {
    const auto object = find_object(dataset.id, {});
    if (!object) return object.error();
    if (!*object) return Error{ErrorKind::corrupt, fmt::format("volume '{}' has no entry for its data", path)};
    if (number_of(*value) == 0 || number_of(*value) % (*object)->record_bytes != 0) {
      return wrong(fmt::format("volsize {} is not a multiple of volblocksize {}", *value, (*object)->record_bytes));
    }
    BLKPRESS_TRY(resize(*object, number_of(*value)));
    return commit();
  }
  if (name == "quota" || name == "reservation") BLKPRESS_TRY(check_limits(dataset, {name, {}}, *value));
  // What was written under the old value keeps to it.
  write_out(0);
  BLKPRESS_TRY(drain());
  BLKPRESS_TRY(admit_metadata());
  dataset.properties[name] = *value;
  if (name == "quota") dataset.quota = number_of(*value);
  if (name == "reservation") dataset.reservation = number_of(*value);
  forget_settings();
  pool_changed_ = true;
  if (Status done = number_codec(dataset); !done) return stop(done.error());
  if (Status done = tree_->put(property_key(dataset.id, name), *value); !done) return stop(done.error());
  return commit();
}

Status PoolEngine::erase_property(Dataset& dataset, const std::string& name) {
  if (dataset.properties.erase(name) == 0) return ok();
  if (name == "quota") dataset.quota = 0;
  if (name == "reservation") dataset.reservation = 0;
  pool_changed_ = true;
  const auto erased = tree_->erase(property_key(dataset.id, name));
  if (!erased) return stop(erased.error());
  return ok();
}

Status PoolEngine::inherit(const std::string& path, const std::string& property, bool recursive) {
  BLKPRESS_TRY(changeable());
  const auto found = table_.need(path);
  if (!found) return found.error();
  std::string name = property;
  if (!is_user_property(property)) {
    const PropertyInfo* info = property_named(property);
    if (info == nullptr) return wrong(fmt::format("there is no property '{}'", property));
    if (!info->settable) return wrong(fmt::format("{} is read only", info->name));
    if (!info->inherited && info->name != "quota" && info->name != "reservation") {
      return wrong(fmt::format("{} cannot be inherited", info->name));
    }
    name = info->name;
  }
  write_out(0);
  BLKPRESS_TRY(drain());
  BLKPRESS_TRY(admit_metadata());
  if (recursive) {
    for (Dataset* dataset : table_.below(**found)) BLKPRESS_TRY(erase_property(*dataset, name));
  } else {
    BLKPRESS_TRY(erase_property(**found, name));
  }
  forget_settings();
  return commit_if_changed();
}

Result<PropertyFacts> PoolEngine::facts_of(Dataset& dataset) {
  PropertyFacts facts;
  if (!dataset.volume) return facts;
  const auto object = find_object(dataset.id, {});
  if (!object) return object.error();
  if (*object) facts.volume_bytes = (*object)->size;
  return facts;
}

// OpenZFS: the dead blocks of what follows, born after the snapshot before.
Result<PropertyFacts> PoolEngine::facts_of(Snapshot& snapshot) {
  PropertyFacts facts;
  Dataset& dataset = *table_.dataset(snapshot.dataset);
  const auto& list = dataset.snapshot_list;
  const auto at = static_cast<std::size_t>(std::find(list.begin(), list.end(), &snapshot) - list.begin());
  const std::uint64_t deadlist = at + 1 < list.size() ? list[at + 1]->deadlist : dataset.deadlist;
  const std::uint64_t since = at > 0 ? list[at - 1]->txg : dataset.origin_txg;
  DatasetSpace only;
  BLKPRESS_TRY(dead_.visit(deadlist, since, [&](const BlockPointer& pointer) {
    only.add(pointer, sector_bytes());
    return ok();
  }));
  facts.snapshot_used = only.allocated();
  if (!dataset.volume) return facts;
  const auto object = find_object(snapshot.id, {});
  if (!object) return object.error();
  if (*object) facts.volume_bytes = (*object)->size;
  return facts;
}

Result<PropertyValue> PoolEngine::get(const std::string& name, const std::string& property) {
  BLKPRESS_TRY(usable());
  roll_up();
  if (name.find('@') != std::string::npos) {
    const auto snapshot = table_.need_snapshot(name);
    if (!snapshot) return snapshot.error();
    const auto facts = facts_of(**snapshot);
    if (!facts) return facts.error();
    return property_of(table_, **snapshot, property, *facts);
  }
  const auto dataset = table_.need(name);
  if (!dataset) return dataset.error();
  const auto facts = facts_of(**dataset);
  if (!facts) return facts.error();
  return property_of(table_, **dataset, property, *facts);
}

Result<std::vector<PropertyValue>> PoolEngine::get_all(const std::string& name) {
  std::vector<PropertyValue> values;
  const bool of_snapshot = name.find('@') != std::string::npos;
  Dataset* dataset = table_.find(split_snapshot(name).first);
  for (const PropertyInfo& info : pool_properties()) {
    if (dataset != nullptr && !of_snapshot && !(dataset->volume ? info.volume : info.filesystem)) continue;
    if (of_snapshot && !info.snapshot) continue;
    auto value = get(name, std::string(info.name));
    if (!value) return value.error();
    const bool absent = value->value == "-" && (info.name == "origin" || info.name == "volsize");
    if (!absent) values.push_back(std::move(*value));
  }
  std::set<std::string> own;
  for (const Dataset* at = dataset; at != nullptr; at = at->parent_dataset) {
    for (const auto& [property, value] : at->properties) {
      if (is_user_property(property)) own.insert(property);
    }
  }
  for (const std::string& property : own) {
    auto value = get(name, property);
    if (!value) return value.error();
    values.push_back(std::move(*value));
  }
  return values;
}

Result<std::vector<DatasetInfo>> PoolEngine::list(const std::string& name) {
  BLKPRESS_TRY(usable());
  std::vector<DatasetInfo> infos;
  if (name.find('@') != std::string::npos) {
    const auto snapshot = table_.need_snapshot(name);
    if (!snapshot) return snapshot.error();
    infos.push_back({name, DatasetType::snapshot});
    return infos;
  }
  const auto top = table_.need(name);
  if (!top) return top.error();
  for (const Dataset* dataset : table_.below(**top)) {
    infos.push_back({table_.path_of(*dataset), dataset->volume ? DatasetType::volume : DatasetType::filesystem});
    for (const Snapshot* snapshot : dataset->snapshot_list) {
      infos.push_back({table_.name_of(*snapshot), DatasetType::snapshot});
    }
  }
  return infos;
}

Result<PoolUsage> PoolEngine::usage() {
  BLKPRESS_TRY(usable());
  PoolUsage usage;
  const DatasetSpace space = table_.space();
  usage.size = store_->total_sectors() * sector_bytes();
  usage.allocated = superblock().allocated_sectors * sector_bytes();
  usage.free = usage.size > usage.allocated ? usage.size - usage.allocated : 0;
  usage.slop = std::min(usage.free, store_->slop_sectors() * sector_bytes());
  usage.data = space.data;
  usage.metadata = space.metadata;
  usage.pool_metadata = pool_metadata_;
  usage.logical = space.logical;
  usage.healed = store_->healed();
  return usage;
}

}  // namespace blkpress
