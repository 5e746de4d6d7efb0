// The names of objects in filesystems, and volumes.
#include <fmt/format.h>

#include "pool/pool_engine.hpp"

namespace blkpress {
namespace {

Error wrong(std::string message) { return {ErrorKind::usage, std::move(message)}; }

Error no_object(std::string_view dataset, std::string_view name) {
  return wrong(fmt::format("there is no object '{}' in '{}'", name, dataset));
}

Status check_object_name(std::string_view name) {
  std::string message = wrong_object_name(name);
  if (!message.empty()) return wrong(std::move(message));
  return ok();
}

}  // namespace

// Null: there is none.
Result<std::shared_ptr<ObjectState>> PoolEngine::find_object(std::uint64_t owner, std::string_view name) {
  OpenTree& open = *table_.open_tree(owner);
  if (const auto found = open.objects.find(name); found != open.objects.end()) return found->second;
  const auto tree = tree_of(owner);
  if (!tree) return tree.error();
  const auto value = (*tree)->get(object_key(name));
  if (!value) return value.error();
  if (!*value) return std::shared_ptr<ObjectState>();
  auto object = ObjectState::decode(owner, name, **value);
  if (!object) return object.error();
  (*object)->read_only = table_.snapshot(owner) != nullptr;
  open.objects.emplace(name, *object);
  return object;
}

Status PoolEngine::put_object(const ObjectState& object) {
  const auto tree = tree_of(object.owner);
  if (!tree) return tree.error();
  return (*tree)->put(object_key(object.name), object.encode());
}

Status PoolEngine::put_changed_objects(Dataset& dataset) {
  for (const auto& [name, object] : dataset.open.objects) {
    if (!object->changed) continue;
    BLKPRESS_TRY(put_object(*object));
    object->changed = false;
  }
  return ok();
}

void PoolEngine::forget_idle_objects(OpenTree& open) {
  std::erase_if(open.objects,
                [](const auto& entry) { return entry.second.use_count() == 1 && !entry.second->changed; });
}

Result<PoolEngine::Owner> PoolEngine::owner_of(const std::string& name) {
  if (name.find('@') != std::string::npos) {
    const auto snapshot = table_.need_snapshot(name);
    if (!snapshot) return snapshot.error();
    return Owner{(*snapshot)->id, table_.dataset((*snapshot)->dataset)->volume};
  }
  const auto dataset = table_.need(name);
  if (!dataset) return dataset.error();
  return Owner{(*dataset)->id, (*dataset)->volume};
}

Result<std::uint64_t> PoolEngine::filesystem_owner(const std::string& name) {
  const auto owner = owner_of(name);
  if (!owner) return owner.error();
  if (owner->volume) return wrong(fmt::format("'{}' is a volume, it has no objects", name));
  return owner->id;
}

Result<std::shared_ptr<ObjectState>> PoolEngine::open_object(const std::string& dataset, const std::string& name) {
  BLKPRESS_TRY(check_object_name(name));
  const auto owner = filesystem_owner(dataset);
  if (!owner) return owner.error();
  auto object = find_object(*owner, name);
  if (!object) return object.error();
  if (!*object) return no_object(dataset, name);
  return object;
}

Result<std::shared_ptr<ObjectState>> PoolEngine::open_volume(const std::string& name) {
  const auto owner = owner_of(name);
  if (!owner) return owner.error();
  if (!owner->volume) return wrong(fmt::format("'{}' is not a volume", name));
  auto object = find_object(owner->id, {});
  if (!object) return object.error();
  if (!*object) return Error{ErrorKind::corrupt, fmt::format("volume '{}' has no entry for its data", name)};
  return object;
}

Result<Dataset*> PoolEngine::writable_filesystem(const std::string& name) {
  BLKPRESS_TRY(changeable());
  if (name.find('@') != std::string::npos) return wrong("a snapshot is read only");
  const auto owner = filesystem_owner(name);
  if (!owner) return owner.error();
  Dataset* dataset = table_.dataset(*owner);
  const auto settings = settings_of(*dataset);
  if (!settings) return settings.error();
  if ((*settings)->read_only) return wrong(fmt::format("dataset '{}' is read only", name));
  return dataset;
}

Result<std::shared_ptr<ObjectState>> PoolEngine::create_object(const std::string& dataset, const std::string& name) {
  BLKPRESS_TRY(check_object_name(name));
  const auto parent = writable_filesystem(dataset);
  if (!parent) return parent.error();
  const auto there = find_object((*parent)->id, name);
  if (!there) return there.error();
  if (*there) return wrong(fmt::format("there is already an object '{}' in '{}'", name, dataset));
  BLKPRESS_TRY(admit(**parent, 0));
  auto object = std::make_shared<ObjectState>();
  object->owner = (*parent)->id;
  object->id = (*parent)->next_object++;
  object->name = name;
  BLKPRESS_TRY(put_object(*object));
  (*parent)->open.objects.emplace(name, object);
  mark_changed(**parent);
  structural_ = true;
  return object;
}

Status PoolEngine::remove_object(const std::string& dataset, const std::string& name) {
  BLKPRESS_TRY(check_object_name(name));
  const auto parent = writable_filesystem(dataset);
  if (!parent) return parent.error();
  const auto object = find_object((*parent)->id, name);
  if (!object) return object.error();
  if (!*object) return no_object(dataset, name);
  BLKPRESS_TRY(drain());
  structural_ = true;
  BLKPRESS_TRY(erase_records(**object, 0, UINT64_MAX));
  const auto tree = tree_of((*parent)->id);
  if (!tree) return tree.error();
  const auto erased = (*tree)->erase(object_key(name));
  if (!erased) return stop(erased.error());
  (*object)->gone = true;
  (*parent)->open.objects.erase(name);
  mark_changed(**parent);
  return ok();
}

Status PoolEngine::rename_object(const std::string& dataset, const std::string& from, const std::string& to) {
  BLKPRESS_TRY(check_object_name(from));
  BLKPRESS_TRY(check_object_name(to));
  const auto parent = writable_filesystem(dataset);
  if (!parent) return parent.error();
  const auto object = find_object((*parent)->id, from);
  if (!object) return object.error();
  if (!*object) return no_object(dataset, from);
  const auto there = find_object((*parent)->id, to);
  if (!there) return there.error();
  if (*there) return wrong(fmt::format("there is already an object '{}' in '{}'", to, dataset));
  BLKPRESS_TRY(drain());
  BLKPRESS_TRY(admit_metadata());
  const auto tree = tree_of((*parent)->id);
  if (!tree) return tree.error();
  structural_ = true;
  const std::shared_ptr<ObjectState> renamed = *object;
  (*parent)->open.objects.erase(from);
  renamed->name = to;
  (*parent)->open.objects.emplace(to, renamed);
  if (Status done = put_object(*renamed); !done) return stop(done.error());
  const auto erased = (*tree)->erase(object_key(from));
  if (!erased) return stop(erased.error());
  mark_changed(**parent);
  return ok();
}

Result<std::vector<ObjectInfo>> PoolEngine::objects(const std::string& dataset) {
  const auto owner = filesystem_owner(dataset);
  if (!owner) return owner.error();
  const auto tree = tree_of(*owner);
  if (!tree) return tree.error();
  std::vector<ObjectInfo> list;
  std::optional<Error> error;
  BLKPRESS_TRY((*tree)->scan(std::string(1, kObjectKey), std::string(1, kObjectKey + 1),
                             [&](std::string_view key, std::string_view value) {
                               const auto object = ObjectState::decode(*owner, key.substr(1), value);
                               if (!object) error = object.error();
                               if (object) list.push_back({(*object)->name, (*object)->size, (*object)->record_bytes});
                               return !error;
                             }));
  if (error) return *error;
  // What is open may be longer by now.
  const OpenTree& open = *table_.open_tree(*owner);
  for (ObjectInfo& info : list) {
    const auto found = open.objects.find(info.name);
    if (found == open.objects.end()) continue;
    info.size = found->second->size;
    info.record_bytes = found->second->record_bytes;
  }
  return list;
}

}  // namespace blkpress
