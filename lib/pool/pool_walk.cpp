#include "pool/pool_walk.hpp"

#include <fmt/format.h>

namespace blkpress {
namespace {

constexpr std::size_t kProblemsMax = 1000;

}  // namespace

PoolWalk::PoolWalk(PoolEngine& engine, bool read_all) : engine_(engine), read_all_(read_all), space_(*engine.store_) {}

void PoolWalk::problem(std::string where, std::string what) {
  if (report_.problems.size() < kProblemsMax) report_.problems.push_back({std::move(where), std::move(what)});
}

void PoolWalk::visit_block(const std::string& where, const BlockPointer& pointer) {
  if (pointer.kind != BlockKind::data && pointer.kind != BlockKind::metadata) return;
  ++report_.blocks;
  report_.allocated += pointer.allocated_sectors() * engine_.sector_bytes();
  if (const Status added = space_.add(pointer); !added) return problem(where, added.error().message);
  if (!read_all_) return;
  report_.bytes_read += std::uint64_t{pointer.psize} * pointer.copies();
  const Result<unsigned> healed = engine_.store_->verify(pointer);
  if (!healed) return problem(where, healed.error().message);
  report_.healed += *healed;
}

PoolWalk::Sums PoolWalk::walk_tree(const std::string& name, const BlockPointer& root, std::uint64_t since,
                                   std::uint64_t born_max) {
  Sums sums;
  const std::uint64_t sector = engine_.sector_bytes();
  std::map<std::uint64_t, std::string> names;  // of objects; they come before their records
  const auto count = [&](const std::string& where, const BlockPointer& pointer) {
    if (pointer.birth > born_max && !pointer.is_hole())
      problem(where, fmt::format("born in group {}, after its tree", pointer.birth));
    sums.all.add(pointer, sector);
    if (pointer.birth <= since) return;
    sums.own.add(pointer, sector);
    visit_block(where, pointer);
  };
  Btree tree(*engine_.store_, root);
  const Status done = tree.walk(
      0,
      [&](const BlockPointer& pointer) {
        count(name + ": tree", pointer);
        return ok();
      },
      [&](std::string_view key, std::string_view value) {
        if (!key.empty() && key[0] == kObjectKey) {
          const auto object = ObjectState::decode(0, key.substr(1), value);
          if (!object) problem(name, object.error().message);
          if (object) names.emplace((*object)->id, (*object)->name);
          return ok();
        }
        if (key.size() != kRecordKeyBytes || key[0] != kRecordKey) {
          problem(name, "tree: a key is out of place");
          return ok();
        }
        const std::uint64_t object = key_number_at(key, 1), index = key_number_at(key, 9);
        const auto of = names.find(object);
        const std::string where = of == names.end()    ? fmt::format("{}: object {}, record {}", name, object, index)
                                  : of->second.empty() ? fmt::format("{}: record {}", name, index)
                                                       : fmt::format("{}: {}, record {}", name, of->second, index);
        if (of == names.end()) problem(where, "its object is not there");
        BlockPointer pointer;
        if (!FieldReader(value).pointer(pointer).at_end() || pointer.kind == BlockKind::metadata || pointer.is_hole()) {
          problem(where, "its pointer is out of range");
          return ok();
        }
        count(where, pointer);
        return ok();
      });
  if (!done) problem(name, done.error().message);
  return sums;
}

void PoolWalk::compare(const std::string& where, const char* what, const DatasetSpace& says, const DatasetSpace& is) {
  if (says == is) return;
  problem(where, fmt::format("{}: {} bytes of records and {} of trees are on its account, {} and {} are there", what,
                             says.data, says.metadata, is.data, is.metadata));
}

void PoolWalk::walk_dataset(Dataset& dataset) {
  const std::string path = engine_.table_.path_of(dataset);
  const std::string name = path.empty() ? "pool" : path;
  DatasetSpace ours;
  std::uint64_t since = dataset.origin_txg;
  for (const Snapshot* snapshot : dataset.snapshot_list) {
    const std::string snapshot_name = name + "@" + snapshot->name;
    const Sums sums = walk_tree(snapshot_name, snapshot->root, since, snapshot->txg);
    compare(snapshot_name, "referenced", snapshot->referenced, sums.all);
    ours += sums.own;
    since = snapshot->txg;
  }
  const Sums sums = walk_tree(name, dataset.root, since, engine_.superblock().txg);
  compare(name, "referenced", dataset.referenced, sums.all);
  ours += sums.own;
  DatasetSpace account = dataset.head;
  account += dataset.snapshots;
  compare(name, "used by it and its snapshots", account, ours);
  if (sums.own.allocated() != dataset.written) {
    problem(name, fmt::format("written: {} bytes on its account, {} are there", dataset.written, sums.own.allocated()));
  }
}

// All that the snapshots alone lead to is on a list of dead blocks, once.
void PoolWalk::check_dead_lists() {
  for (const auto& [id, dataset] : engine_.table_.datasets()) {
    DatasetSpace dead;
    const auto add = [&](const BlockPointer& pointer) {
      dead.add(pointer, engine_.sector_bytes());
      return ok();
    };
    Status done = engine_.dead_.visit(dataset->deadlist, 0, add);
    for (const Snapshot* snapshot : dataset->snapshot_list) {
      if (done) done = engine_.dead_.visit(snapshot->deadlist, 0, add);
    }
    const std::string path = engine_.table_.path_of(*dataset);
    if (!done) problem(path, done.error().message);
    compare(path.empty() ? "pool" : path, "used by snapshots", dataset->snapshots, dead);
  }
}

CheckReport PoolWalk::run() {
  const std::uint64_t healed_before = engine_.store_->healed();
  const auto visit = [&](const BlockPointer& pointer) {
    visit_block("pool's tree", pointer);
    return ok();
  };
  Btree tree(*engine_.store_, engine_.superblock().root);
  const Status done = tree.walk(0, visit, [](std::string_view, std::string_view) { return ok(); });
  if (!done) problem("pool's tree", done.error().message);
  for (const auto& [id, dataset] : engine_.table_.datasets()) walk_dataset(*dataset);
  check_dead_lists();
  if (const Status whole = space_.finish(); !whole) problem("space map", whole.error().message);
  report_.healed = engine_.store_->healed() - healed_before;
  return std::move(report_);
}

Result<CheckReport> PoolEngine::check(bool read_all) {
  BLKPRESS_TRY(usable());
  if (stopped_) return Error{ErrorKind::io, "pool takes no more changes after an error; open it anew"};
  // Read only, what the intent log holds is in memory alone: what is on disk is looked at.
  if (!options_.read_only) BLKPRESS_TRY(commit_if_changed());
  return PoolWalk(*this, read_all).run();
}

}  // namespace blkpress
