// Snapshots, clones, rollback, and what goes when a dataset or snapshot is destroyed.
#include <fmt/format.h>

#include <algorithm>

#include "pool/pool_engine.hpp"

namespace blkpress {
namespace {

Error wrong(std::string message) { return {ErrorKind::usage, std::move(message)}; }

std::string snapshot_key(std::uint64_t id) { return std::string(1, kSnapshotKey) + key_number(id); }
std::string dataset_key(std::uint64_t id) { return std::string(1, kDatasetKey) + key_number(id); }

}  // namespace

Status PoolEngine::put_snapshot(const Snapshot& snapshot) {
  pool_changed_ = true;
  return tree_->put(snapshot_key(snapshot.id), snapshot.encode());
}

// Its handles answer that it is gone.
void PoolEngine::close_tree(std::uint64_t owner) {
  OpenTree& open = *table_.open_tree(owner);
  for (const auto& [name, object] : open.objects) object->gone = true;
  open.objects.clear();
  open.tree.reset();
  cache_.erase_owner(owner);
  reserved_ -= dirty_.erase_owner(owner);
}

Status PoolEngine::snapshot(const std::string& name, bool recursive) {
  BLKPRESS_TRY(changeable());
  const auto [path, short_name] = split_snapshot(name);
  if (name.find('@') == std::string::npos)
    return wrong(fmt::format("'{}' is not a snapshot's name: DATASET@NAME", name));
  BLKPRESS_TRY(check_snapshot_name(short_name));
  const auto top = table_.need(path);
  if (!top) return top.error();
  std::vector<Dataset*> datasets = {*top};
  if (recursive) datasets = table_.below(**top);
  for (const Dataset* dataset : datasets) {
    const std::string whole = table_.path_of(*dataset) + "@" + std::string(short_name);
    if (whole.size() > kDatasetPathMax)
      return wrong(fmt::format("'{}' is longer than {} bytes", whole, kDatasetPathMax));
    if (table_.find_snapshot(whole) != nullptr) return wrong(fmt::format("snapshot '{}' exists already", whole));
  }
  if (table_.datasets().size() + table_.snapshots().size() + datasets.size() > kDatasetsMax) {
    return wrong(fmt::format("pool has {} datasets and snapshots already", kDatasetsMax));
  }
  // Everything that the snapshot leads to is born in the committed group or before.
  BLKPRESS_TRY(commit_if_changed());
  BLKPRESS_TRY(admit(table_.root(), 0));
  for (Dataset* dataset : datasets) {
    auto made = std::make_unique<Snapshot>();
    made->id = new_id();
    made->dataset = dataset->id;
    made->name = short_name;
    made->txg = superblock().txg;
    made->creation_s = now();
    made->guid = new_guid();
    made->deadlist = dataset->deadlist;
    made->written = dataset->written;
    made->next_object = dataset->next_object;
    made->root = dataset->root;
    made->referenced = dataset->referenced;
    dataset->deadlist = new_id();
    dataset->written = 0;
    mark_changed(*dataset);
    if (Status done = put_snapshot(table_.add(std::move(made))); !done) return stop(done.error());
  }
  return commit();
}

Status PoolEngine::rollback(const std::string& name, bool destroy_later) {
  BLKPRESS_TRY(changeable());
  const auto found = table_.need_snapshot(name);
  if (!found) return found.error();
  Snapshot& snapshot = **found;
  Dataset& dataset = *table_.dataset(snapshot.dataset);
  if (dataset.snapshot_list.back() != &snapshot && !destroy_later) {
    return wrong(fmt::format("'{}' is not the latest snapshot: later ones would have to be destroyed (-r)", name));
  }
  for (auto later = dataset.snapshot_list.rbegin(); *later != &snapshot; ++later) {
    if (!(*later)->clones.empty()) return wrong(fmt::format("'{}' has clones", table_.name_of(**later)));
  }
  BLKPRESS_TRY(commit_if_changed());
  BLKPRESS_TRY(admit_metadata());
  while (dataset.snapshot_list.back() != &snapshot) BLKPRESS_TRY(destroy_snapshot(*dataset.snapshot_list.back()));
  close_tree(dataset.id);
  // What was born since goes; what the snapshot has and the dataset had not any more comes back.
  Btree tree(*store_, dataset.root);
  DatasetSpace gone, back;
  const auto release = [&](const BlockPointer& pointer) {
    if (pointer.birth > snapshot.txg) {
      gone.add(pointer, sector_bytes());
      store_->release(pointer);
    }
    return ok();
  };
  Status done = tree.walk(snapshot.txg, release, [&](std::string_view key, std::string_view value) {
    if (key.empty() || key[0] != kRecordKey) return ok();
    BlockPointer pointer;
    if (!FieldReader(value).pointer(pointer).at_end()) {
      return Status(Error{ErrorKind::corrupt, "pointer of a record is out of range"});
    }
    return release(pointer);
  });
  if (!done) return stop(done.error());
  done = dead_.take(dataset.deadlist, 0, [&](const BlockPointer& pointer) {
    back.add(pointer, sector_bytes());
    return ok();
  });
  if (!done) return stop(done.error());
  dataset.snapshots -= back;
  dataset.head -= gone;
  dataset.head += back;
  dataset.referenced = snapshot.referenced;
  dataset.root = snapshot.root;
  dataset.next_object = snapshot.next_object;
  dataset.written = 0;
  mark_changed(dataset);
  return commit();
}

Status PoolEngine::clone(const std::string& snapshot_name, const std::string& path,
                         const std::vector<Property>& properties) {
  BLKPRESS_TRY(changeable());
  const auto found = table_.need_snapshot(snapshot_name);
  if (!found) return found.error();
  Snapshot& snapshot = **found;
  const Dataset& source = *table_.dataset(snapshot.dataset);
  if (path.empty()) return wrong("dataset name is empty");
  for (const Property& property : properties) {
    if (property.name == "volblocksize" || property.name == "volsize") {
      return wrong(fmt::format("{} of a clone is that of its snapshot", property.name));
    }
  }
  auto made = new_dataset(path, source.volume, properties);
  if (!made) return made.error();
  BLKPRESS_TRY(commit_if_changed());
  BLKPRESS_TRY(admit(table_.root(), 0));
  if (source.volume) (*made)->properties["volblocksize"] = effective_property(source, "volblocksize").value;
  for (const std::string name : {"quota", "reservation"}) {
    // What a new dataset may reserve is asked when it is set.
    (*made)->properties.erase(name);
  }
  (*made)->origin = snapshot.id;
  (*made)->root = snapshot.root;
  (*made)->referenced = snapshot.referenced;
  (*made)->next_object = snapshot.next_object;
  Dataset& dataset = table_.add(std::move(*made));
  mark_changed(dataset);
  if (Status done = put_properties(dataset); !done) return stop(done.error());
  BLKPRESS_TRY(commit());
  for (const Property& property : properties) {
    if (property.name == "quota" || property.name == "reservation") BLKPRESS_TRY(set(path, property));
  }
  return ok();
}

// OpenZFS, module/zfs/dsl_destroy.c: what follows the snapshot lists what is gone since; of that, what was born after
// the snapshot before is nobody's any more, and the rest is still the snapshot before's.
Status PoolEngine::destroy_snapshot(Snapshot& snapshot) {
  Dataset& dataset = *table_.dataset(snapshot.dataset);
  const auto& list = dataset.snapshot_list;
  const auto at = static_cast<std::size_t>(std::find(list.begin(), list.end(), &snapshot) - list.begin());
  Snapshot* next = at + 1 < list.size() ? list[at + 1] : nullptr;
  const std::uint64_t deadlist = next != nullptr ? next->deadlist : dataset.deadlist;
  const std::uint64_t since = at > 0 ? list[at - 1]->txg : dataset.origin_txg;
  DatasetSpace freed;
  const auto step = [&]() -> Status {
    BLKPRESS_TRY(dead_.take(deadlist, since, [&](const BlockPointer& pointer) {
      freed.add(pointer, sector_bytes());
      store_->release(pointer);
      return ok();
    }));
    BLKPRESS_TRY(dead_.move(snapshot.deadlist, deadlist));
    const auto erased = tree_->erase(snapshot_key(snapshot.id));
    if (!erased) return erased.error();
    dataset.snapshots -= freed;
    std::uint64_t& written = next != nullptr ? next->written : dataset.written;
    written += snapshot.written - freed.allocated();
    if (next != nullptr) BLKPRESS_TRY(put_snapshot(*next));
    return ok();
  };
  if (Status done = step(); !done) return stop(done.error());
  mark_changed(dataset);
  close_tree(snapshot.id);
  table_.remove(snapshot);
  return ok();
}

// Its blocks and entries, of one without snapshots; it is still in the table. Committed, so that nothing of it was born
// in the open group.
Status PoolEngine::free_dataset(Dataset& dataset) {
  close_tree(dataset.id);
  const auto step = [&]() -> Status {
    Btree tree(*store_, dataset.root);
    const auto release = [&](const BlockPointer& pointer) {
      if (pointer.birth > dataset.origin_txg) store_->release(pointer);
      return ok();
    };
    BLKPRESS_TRY(tree.walk(dataset.origin_txg, release, [&](std::string_view key, std::string_view value) -> Status {
      if (key.empty() || key[0] != kRecordKey) return ok();
      BlockPointer pointer;
      if (!FieldReader(value).pointer(pointer).at_end()) {
        return Error{ErrorKind::corrupt, "pointer of a record is out of range"};
      }
      return release(pointer);
    }));
    const auto erased = tree_->erase(dataset_key(dataset.id));
    if (!erased) return erased.error();
    const auto properties = dataset.properties;
    for (const auto& [name, value] : properties) BLKPRESS_TRY(erase_property(dataset, name));
    return ok();
  };
  if (Status done = step(); !done) return stop(done.error());
  pool_changed_ = true;
  table_.leave_origin(dataset);
  return ok();
}

// Clones before their origin.
Status PoolEngine::destroy_all(Dataset& top) {
  std::set<std::uint64_t> ids;
  for (const Dataset* dataset : table_.below(top)) ids.insert(dataset->id);
  for (const std::uint64_t id : ids) {
    for (const Snapshot* snapshot : table_.dataset(id)->snapshot_list) {
      for (const std::uint64_t clone : snapshot->clones) {
        if (ids.contains(clone)) continue;
        return wrong(
            fmt::format("'{}' has a clone, '{}'", table_.name_of(*snapshot), table_.path_of(*table_.dataset(clone))));
      }
    }
  }
  BLKPRESS_TRY(commit_if_changed());
  BLKPRESS_TRY(admit_metadata());
  // A parent may be a clone of its own child's snapshot: the tree of names goes when all blocks have gone.
  const std::vector<Dataset*> datasets = table_.below(top);
  while (!ids.empty()) {
    const std::size_t before = ids.size();
    for (auto at = ids.begin(); at != ids.end();) {
      Dataset& dataset = *table_.dataset(*at);
      const bool cloned = std::any_of(dataset.snapshot_list.begin(), dataset.snapshot_list.end(),
                                      [](const Snapshot* snapshot) { return !snapshot->clones.empty(); });
      if (cloned) {
        ++at;
        continue;
      }
      while (!dataset.snapshot_list.empty()) BLKPRESS_TRY(destroy_snapshot(*dataset.snapshot_list.back()));
      BLKPRESS_TRY(free_dataset(dataset));
      at = ids.erase(at);
    }
    BLKPRESS_ASSERT(ids.size() < before);
  }
  for (auto dataset = datasets.rbegin(); dataset != datasets.rend(); ++dataset) {
    changed_.erase((*dataset)->id);
    table_.remove(**dataset);
  }
  return commit();
}

Status PoolEngine::destroy(const std::string& name, bool recursive) {
  BLKPRESS_TRY(changeable());
  if (name.find('@') != std::string::npos) {
    const auto [path, short_name] = split_snapshot(name);
    std::vector<Snapshot*> snapshots;
    if (recursive) {
      const auto top = table_.need(path);
      if (!top) return top.error();
      for (const Dataset* dataset : table_.below(**top)) {
        Snapshot* found = table_.find_snapshot(table_.path_of(*dataset) + "@" + std::string(short_name));
        if (found != nullptr) snapshots.push_back(found);
      }
      if (snapshots.empty()) return wrong(fmt::format("there is no snapshot '{}'", name));
    } else {
      const auto found = table_.need_snapshot(name);
      if (!found) return found.error();
      snapshots.push_back(*found);
    }
    for (const Snapshot* snapshot : snapshots) {
      if (snapshot->clones.empty()) continue;
      return wrong(fmt::format("'{}' has a clone, '{}'", table_.name_of(*snapshot),
                               table_.path_of(*table_.dataset(snapshot->clones.front()))));
    }
    BLKPRESS_TRY(commit_if_changed());
    BLKPRESS_TRY(admit_metadata());
    for (Snapshot* snapshot : snapshots) BLKPRESS_TRY(destroy_snapshot(*snapshot));
    return commit();
  }
  const auto found = table_.need(name);
  if (!found) return found.error();
  if (name.empty()) return wrong("the pool's own filesystem cannot be destroyed");
  if (!recursive && !(*found)->children.empty()) {
    return wrong(fmt::format("'{}' has datasets below it (-r destroys them too)", name));
  }
  if (!recursive && !(*found)->snapshot_list.empty()) {
    return wrong(fmt::format("'{}' has snapshots (-r destroys them too)", name));
  }
  return destroy_all(**found);
}

}  // namespace blkpress
