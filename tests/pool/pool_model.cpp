#include "pool/pool_model.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace blkpress::test {
namespace {

constexpr std::size_t kObjectBytesMax = 200'000;

Error differs(std::string what) { return {ErrorKind::check_failed, std::move(what)}; }

// The pool says yes where the model does.
template <class T>
Status expect(const Result<T>& got, bool wanted, const std::string& what) {
  if (got.has_value() == wanted) return ok();
  return differs(what + (wanted ? " fails: " + got.error().message : " does not fail"));
}

}  // namespace

Bytes8 PoolModel::some_bytes(std::size_t size) {
  Bytes8 bytes(size);
  const std::uint64_t kind = random_.below(4);
  if (kind == 0) return bytes;
  for (std::size_t i = 0; i < size; ++i) {
    // Random, repeating, or mostly zeros.
    const bool draw = kind == 1 || i < 16 || (kind == 3 && i % 97 == 0);
    bytes[i] = draw ? static_cast<std::byte>(random_.next()) : kind == 2 ? bytes[i - 16] : std::byte{0};
  }
  return bytes;
}

std::string PoolModel::some_dataset() {
  auto at = datasets_.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random_.below(datasets_.size())));
  return at->first;
}

std::string PoolModel::some_snapshot() {
  const std::string dataset = some_dataset();
  const auto& list = datasets_[dataset].snapshots;
  return list.empty() ? "" : dataset + "@" + list[random_.below(list.size())].first;
}

bool PoolModel::has_clone(const std::string& snapshot) const {
  return std::any_of(datasets_.begin(), datasets_.end(),
                     [&](const auto& entry) { return entry.second.origin == snapshot; });
}

Result<std::shared_ptr<PoolObject>> PoolModel::open(Pool& pool, const std::string& dataset, const std::string& object) {
  return object.empty() ? pool.open_volume(dataset) : pool.open_object(dataset, object);
}

Status PoolModel::write(Pool& pool) {
  const std::string dataset = some_dataset();
  Dataset& model = datasets_[dataset];
  if (model.objects.empty()) return objects(pool);
  auto at = model.objects.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random_.below(model.objects.size())));
  const auto object = open(pool, dataset, at->first);
  if (!object) return object.error();
  Bytes8& bytes = at->second;
  const std::size_t limit = model.volume ? bytes.size() : kObjectBytesMax;
  std::size_t offset = random_.below(4) == 0 ? bytes.size() : random_.below(bytes.size() + 1000);
  offset = std::min(offset, limit);
  const std::size_t size =
      std::min<std::size_t>(limit - offset, random_.below(3) == 0 ? random_.below(60'000) : random_.below(5000));
  const Bytes8 data = some_bytes(size);
  BLKPRESS_TRY((*object)->write(offset, data));
  if (offset + size > bytes.size() && size > 0) bytes.resize(offset + size);
  std::copy(data.begin(), data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  if (model.volume && random_.below(8) == 0) {
    return expect((*object)->write(bytes.size() - 1, some_bytes(2)), false, "a write beyond a volume's end");
  }
  return ok();
}

Status PoolModel::trim_or_resize(Pool& pool) {
  const std::string dataset = some_dataset();
  Dataset& model = datasets_[dataset];
  if (model.objects.empty()) return ok();
  auto at = model.objects.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random_.below(model.objects.size())));
  const auto object = open(pool, dataset, at->first);
  if (!object) return object.error();
  Bytes8& bytes = at->second;
  if (!model.volume && random_.below(2) == 0) {
    const std::size_t size = random_.below(bytes.size() + 5000);
    BLKPRESS_TRY((*object)->resize(size));
    bytes.resize(size);
    return ok();
  }
  const std::size_t offset = random_.below(bytes.size() + 1);
  const std::size_t length = random_.below(bytes.size() - offset + 1);
  BLKPRESS_TRY((*object)->trim(offset, length));
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), length, std::byte{0});
  return ok();
}

Status PoolModel::objects(Pool& pool) {
  const std::string dataset = some_dataset();
  Dataset& model = datasets_[dataset];
  if (model.volume) return expect(pool.create_object(dataset, "x"), false, "an object in a volume");
  const std::string name = fmt::format("o{}", random_.below(6));
  const bool there = model.objects.contains(name);
  switch (random_.below(4)) {
    case 0:
      BLKPRESS_TRY(expect(pool.remove_object(dataset, name), there, "removing an object"));
      model.objects.erase(name);
      return ok();
    case 1: {
      const std::string to = fmt::format("o{}", random_.below(6));
      const bool possible = there && !model.objects.contains(to);
      BLKPRESS_TRY(expect(pool.rename_object(dataset, name, to), possible, "renaming an object"));
      if (!possible) return ok();
      auto node = model.objects.extract(name);
      node.key() = to;
      model.objects.insert(std::move(node));
      return ok();
    }
    default: {
      const auto made = pool.create_object(dataset, name);
      BLKPRESS_TRY(expect(made, !there, "creating an object"));
      model.objects.try_emplace(name);
      return ok();
    }
  }
}

Status PoolModel::read(Pool& pool) {
  const std::string dataset = some_dataset();
  const Dataset& model = datasets_[dataset];
  if (model.objects.empty()) return ok();
  auto at = model.objects.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random_.below(model.objects.size())));
  const auto object = open(pool, dataset, at->first);
  if (!object) return object.error();
  const Bytes8& bytes = at->second;
  const std::size_t offset = random_.below(bytes.size() + 1);
  Bytes8 back(random_.below(40'000));
  const auto got = (*object)->read(offset, back);
  if (!got) return got.error();
  const std::size_t wanted = std::min(back.size(), bytes.size() - offset);
  if (*got != wanted || !std::equal(back.begin(), back.begin() + static_cast<std::ptrdiff_t>(wanted),
                                    bytes.begin() + static_cast<std::ptrdiff_t>(offset))) {
    return differs(fmt::format("{}/{}: {} bytes at {} differ", dataset, at->first, back.size(), offset));
  }
  return ok();
}

Status PoolModel::datasets(Pool& pool) {
  const std::string parent = some_dataset();
  if (random_.below(3) == 0 && !parent.empty()) {
    const bool recursive = random_.below(2) == 0;
    std::vector<std::string> gone;
    bool possible = true;
    for (const auto& [path, model] : datasets_) {
      if (path != parent && path.rfind(parent + "/", 0) != 0) continue;
      gone.push_back(path);
      possible = possible && (recursive || (path == parent && model.snapshots.empty()));
    }
    for (const std::string& path : gone) {
      for (const auto& [name, state] : datasets_[path].snapshots) {
        for (const auto& [other, model] : datasets_) {
          const bool inside = std::find(gone.begin(), gone.end(), other) != gone.end();
          possible = possible && (inside || model.origin != path + "@" + name);
        }
      }
    }
    BLKPRESS_TRY(expect(pool.destroy(parent, recursive), possible, "destroying " + parent));
    if (possible) {
      for (const std::string& path : gone) datasets_.erase(path);
    }
    return ok();
  }
  if (datasets_.size() > 8) return ok();
  const std::string path = (parent.empty() ? "" : parent + "/") + fmt::format("d{}", random_.below(5));
  const bool volume = random_.below(3) == 0;
  const bool possible = !datasets_[parent].volume && !datasets_.contains(path);
  static const char* const kBlocks[] = {"512", "4K", "16K"};
  const std::string block = kBlocks[random_.below(3)];
  const std::vector<Property> sizes = {{volume ? "volblocksize" : "recordsize", block}};
  const Status made = volume ? pool.create_volume(path, 96 * kKiB, sizes) : pool.create_filesystem(path, sizes);
  BLKPRESS_TRY(expect(made, possible, "creating " + path));
  if (!possible) return ok();
  Dataset model;
  model.volume = volume;
  if (volume) model.objects[""] = Bytes8(96 * kKiB);
  datasets_[path] = std::move(model);
  return ok();
}

Status PoolModel::snapshots(Pool& pool) {
  const std::string snapshot = some_snapshot();
  const std::uint64_t kind = random_.below(5);
  if (snapshot.empty() || kind < 2) {
    const std::string dataset = some_dataset();
    Dataset& model = datasets_[dataset];
    if (model.snapshots.size() >= 5) return ok();
    const std::string name = fmt::format("s{}", names_++);
    const bool recursive = random_.below(4) == 0;
    BLKPRESS_TRY(pool.snapshot(dataset + "@" + name, recursive));
    for (auto& [path, other] : datasets_) {
      const bool below = dataset.empty() || path.rfind(dataset + "/", 0) == 0;
      if (path == dataset || (recursive && below)) other.snapshots.emplace_back(name, other);
    }
    return ok();
  }
  const std::string dataset = snapshot.substr(0, snapshot.find('@')), name = snapshot.substr(snapshot.find('@') + 1);
  Dataset& model = datasets_[dataset];
  const auto at = std::find_if(model.snapshots.begin(), model.snapshots.end(),
                               [&](const auto& entry) { return entry.first == name; });
  if (kind == 2) {
    BLKPRESS_TRY(expect(pool.destroy(snapshot), !has_clone(snapshot), "destroying " + snapshot));
    if (!has_clone(snapshot)) model.snapshots.erase(at);
    return ok();
  }
  if (kind == 3) {
    const bool later = random_.below(2) == 0;
    bool possible = later || at + 1 == model.snapshots.end();
    for (auto other = at + 1; other != model.snapshots.end(); ++other) {
      possible = possible && !has_clone(dataset + "@" + other->first);
    }
    BLKPRESS_TRY(expect(pool.rollback(snapshot, later), possible, "rolling back to " + snapshot));
    if (!possible) return ok();
    static_cast<State&>(model) = at->second;
    model.snapshots.erase(at + 1, model.snapshots.end());
    return ok();
  }
  if (datasets_.size() > 8) return ok();
  const std::string path = fmt::format("c{}", random_.below(5));
  const bool possible = !datasets_.contains(path);
  BLKPRESS_TRY(expect(pool.clone(snapshot, path), possible, "cloning to " + path));
  if (!possible) return ok();
  Dataset clone;
  static_cast<State&>(clone) = at->second;
  clone.origin = snapshot;
  datasets_[path] = std::move(clone);
  return ok();
}

Status PoolModel::rename(Pool& pool) {
  const std::string from = some_dataset(), parent = some_dataset();
  if (from.empty()) return ok();
  const std::string to = (parent.empty() ? "" : parent + "/") + fmt::format("r{}", random_.below(5));
  const bool below = parent == from || parent.rfind(from + "/", 0) == 0;
  const bool possible = !below && !datasets_[parent].volume && !datasets_.contains(to);
  BLKPRESS_TRY(expect(pool.rename(from, to), possible, "renaming " + from + " to " + to));
  if (!possible) return ok();
  move(from, to);
  return ok();
}

void PoolModel::move(const std::string& from, const std::string& to) {
  std::map<std::string, Dataset> renamed;
  const auto moved = [&](const std::string& path) {
    return path == from || path.rfind(from + "/", 0) == 0 ? to + path.substr(from.size()) : path;
  };
  for (auto& [path, model] : datasets_) {
    const std::size_t at = model.origin.find('@');
    if (at != std::string::npos) model.origin = moved(model.origin.substr(0, at)) + model.origin.substr(at);
    renamed.emplace(moved(path), std::move(model));
  }
  datasets_ = std::move(renamed);
}

Status PoolModel::properties(Pool& pool) {
  const std::string dataset = some_dataset();
  static const char* const kCompressions[] = {"off", "lz4", "zle", "gzip-1", "lzjb", "zstd-1"};
  if (random_.below(4) == 0) return pool.inherit(dataset, "compression");
  if (random_.below(3) == 0 && !datasets_[dataset].volume) {
    return pool.set(dataset, {"recordsize", random_.below(2) == 0 ? "1K" : "8K"});
  }
  return pool.set(dataset, {"compression", kCompressions[random_.below(6)]});
}

Status PoolModel::step(Pool& pool) {
  const std::uint64_t kind = random_.below(100);
  if (kind < 40) return write(pool);
  if (kind < 50) return trim_or_resize(pool);
  if (kind < 60) return read(pool);
  if (kind < 68) return objects(pool);
  if (kind < 75) return datasets(pool);
  if (kind < 90) return snapshots(pool);
  if (kind < 93) return properties(pool);
  if (kind < 95) return rename(pool);
  return pool.flush();
}

Status PoolModel::compare_state(Pool& pool, const std::string& name, const State& state) {
  if (!state.volume) {
    const auto list = pool.objects(name);
    if (!list) return list.error();
    if (list->size() != state.objects.size()) return differs(name + ": another number of objects");
    auto at = state.objects.begin();
    for (const ObjectInfo& info : *list) {
      if (info.name != at->first || info.size != at->second.size()) return differs(name + ": objects differ");
      ++at;
    }
  }
  for (const auto& [object_name, bytes] : state.objects) {
    const auto object = open(pool, name, object_name);
    if (!object) return object.error();
    Bytes8 back(bytes.size() + 1);
    const auto got = (*object)->read(0, back);
    if (!got) return got.error();
    back.resize(*got);
    if (back != bytes) {
      const auto where = std::mismatch(back.begin(), back.end(), bytes.begin(), bytes.end()).first - back.begin();
      return differs(fmt::format("{}/{}: contents differ at {}", name, object_name, where));
    }
    // Whatever next_data() leaves out reads as zeros.
    std::uint64_t covered = 0;
    while (true) {
      const auto range = (*object)->next_data(covered);
      if (!range) return range.error();
      const std::uint64_t hole_end = *range ? (*range)->begin : bytes.size();
      if (!all_zero(ByteView(bytes).subspan(covered, hole_end - covered))) {
        return differs(fmt::format("{}/{}: data in a hole at {}", name, object_name, covered));
      }
      if (!*range) break;
      if ((*range)->end <= covered) return differs("next_data() does not go on");
      covered = (*range)->end;
    }
  }
  return ok();
}

Status PoolModel::compare_accounts(Pool& pool) {
  const auto number = [&](const std::string& name, const char* property) -> std::uint64_t {
    const auto value = pool.get(name, property);
    return value ? std::stoull(value->value) : UINT64_MAX;
  };
  for (const auto& [path, model] : datasets_) {
    std::uint64_t children = 0, snapshots = 0;
    for (const auto& [other, unused] : datasets_) {
      const std::size_t slash = other.rfind('/');
      const std::string parent = slash == std::string::npos ? "" : other.substr(0, slash);
      if (!other.empty() && parent == path) children += std::max(number(other, "used"), number(other, "reservation"));
    }
    for (const auto& [name, unused] : model.snapshots) snapshots += number(path + "@" + name, "used");
    if (number(path, "usedbychildren") != children) return differs(path + ": usedbychildren");
    if (number(path, "used") != number(path, "usedbydataset") + number(path, "usedbysnapshots") + children) {
      return differs(path + ": used is not the sum of its parts");
    }
    if (snapshots > number(path, "usedbysnapshots")) return differs(path + ": usedbysnapshots");
    const std::uint64_t dataset = number(path, "usedbydataset"), referenced = number(path, "referenced");
    if (model.origin.empty() ? dataset != referenced : dataset > referenced) return differs(path + ": usedbydataset");
  }
  const auto usage = pool.usage();
  if (!usage) return usage.error();
  if (usage->data + usage->metadata + usage->pool_metadata != usage->allocated) return differs("pool's usage");
  if (number("", "used") + usage->pool_metadata != usage->allocated) return differs("the root's used");
  return ok();
}

Status PoolModel::compare(Pool& pool) {
  const auto report = pool.check();
  if (!report) return report.error();
  if (!report->problems.empty()) {
    return differs(report->problems.front().where + ": " + report->problems.front().what);
  }
  const auto list = pool.list();
  if (!list) return list.error();
  std::size_t wanted = datasets_.size();
  for (const auto& [path, model] : datasets_) wanted += model.snapshots.size();
  if (list->size() != wanted) return differs("another number of datasets");
  for (const auto& [path, model] : datasets_) {
    BLKPRESS_TRY(compare_state(pool, path, model));
    for (const auto& [name, state] : model.snapshots) BLKPRESS_TRY(compare_state(pool, path + "@" + name, state));
  }
  return compare_accounts(pool);
}

Status PoolModel::destroy_everything(Pool& pool) {
  // Side by side at the top, no two of them can hold each other by clones of what is below them.
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& [path, model] : datasets_) {
      if (path.find('/') == std::string::npos) continue;
      const std::string from = path, to = fmt::format("flat{}", names_++);
      BLKPRESS_TRY(pool.rename(from, to));
      move(from, to);
      moved = true;
      break;
    }
  }
  // Clones may hang on each other's snapshots in any order: whatever can go goes, until nothing is left.
  while (datasets_.size() > 1 || !datasets_[""].snapshots.empty()) {
    const std::size_t before = datasets_.size() + datasets_[""].snapshots.size();
    for (auto at = datasets_.begin(); at != datasets_.end();) {
      if (!at->first.empty() && pool.destroy(at->first, true)) {
        const std::string gone = at->first;
        std::erase_if(datasets_,
                      [&](const auto& entry) { return entry.first == gone || entry.first.rfind(gone + "/", 0) == 0; });
        at = datasets_.begin();
      } else {
        ++at;
      }
    }
    auto& list = datasets_[""].snapshots;
    std::erase_if(list, [&](const auto& entry) { return pool.destroy("@" + entry.first).has_value(); });
    if (datasets_.size() + list.size() == before) return differs("something cannot be destroyed");
  }
  auto& objects = datasets_[""].objects;
  for (const auto& [name, bytes] : objects) BLKPRESS_TRY(pool.remove_object("", name));
  objects.clear();
  return pool.flush();
}

}  // namespace blkpress::test
