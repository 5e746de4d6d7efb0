// Transaction groups: how changes get their place, when there is room for them, and what makes them permanent.
#include <fmt/format.h>

#include <algorithm>

#include "pool/pool_engine.hpp"

namespace blkpress {
namespace {

// A change of one record may rewrite a leaf, split it, and touch the nodes above.
constexpr std::uint64_t kNodesOfRecord = 4;
// Of a commit, besides those of the records: the tops of the trees and the pool's own entries.
constexpr std::uint64_t kNodesOfCommit = 8;
// More that waits for a flush is written as a group, not to the log.
constexpr std::uint64_t kLoggedBytesMax = kMiB;
constexpr std::size_t kLoggedChangesMax = 1024;
// Nodes in memory that wait for a commit, of all trees: 64 MiB of them or so.
constexpr std::size_t kDirtyNodesMax = 1024;
constexpr std::size_t kSubmittedBetweenLooks = 1024;

}  // namespace

Status PoolEngine::changeable() const {
  if (closed_) return Error{ErrorKind::usage, "pool is closed"};
  if (options_.read_only && !replaying_) return Error{ErrorKind::usage, "pool is open read only"};
  if (stopped_) return Error{ErrorKind::io, "pool takes no more changes after an error; open it anew"};
  return ok();
}

Error PoolEngine::stop(Error error) {
  stopped_ = true;
  return error;
}

void PoolEngine::mark_changed(Dataset& dataset) {
  ++changes_;
  changed_.insert(dataset.id);
}

void PoolEngine::born(Dataset& dataset, const BlockPointer& pointer) {
  dataset.referenced.add(pointer, sector_bytes());
  dataset.head.add(pointer, sector_bytes());
  dataset.written += pointer.allocated_sectors() * sector_bytes();
  mark_changed(dataset);
}

// OpenZFS, module/zfs/dsl_dataset.c:dsl_dataset_block_kill.
Status PoolEngine::kill(Dataset& dataset, const BlockPointer& pointer) {
  if (pointer.is_hole()) return ok();
  mark_changed(dataset);
  dataset.referenced.subtract(pointer, sector_bytes());
  if (pointer.birth <= dataset.origin_txg) return ok();  // the origin's, not ours
  dataset.head.subtract(pointer, sector_bytes());
  if (pointer.birth > dataset.last_snapshot_txg()) {
    dataset.written -= pointer.allocated_sectors() * sector_bytes();
    store_->release(pointer);
    return ok();
  }
  dataset.snapshots.add(pointer, sector_bytes());
  return dead_.add(dataset.deadlist, pointer);
}

std::size_t PoolEngine::dirty_nodes() const {
  std::size_t nodes = tree_->dirty_nodes();
  for (const std::uint64_t id : changed_) {
    const auto& dataset = table_.datasets().at(id);
    if (dataset->open.tree) nodes += dataset->open.tree->dirty_nodes();
  }
  return nodes;
}

std::uint64_t PoolEngine::metadata_sectors() const {
  const std::uint64_t nodes = dirty_nodes() + kNodesOfCommit + kNodesOfRecord * dirty_.open_count();
  return nodes * 2 * sectors_of(BtreeNode::kBytes);
}

std::uint64_t PoolEngine::capacity() const {
  const std::uint64_t total = store_->total_sectors(), slop = store_->slop_sectors();
  const std::uint64_t bytes = (total > slop ? total - slop : 0) * sector_bytes();
  return bytes > pool_metadata_ ? bytes - pool_metadata_ : 0;
}

// What is allocated in the committed group and no dataset's.
void PoolEngine::measure_pool_metadata() {
  const std::uint64_t allocated = superblock().allocated_sectors * sector_bytes();
  const std::uint64_t datasets = table_.space().allocated();
  pool_metadata_ = allocated > datasets ? allocated - datasets : 0;
}

void PoolEngine::roll_up() { table_.roll_up(capacity()); }

// After drain(): everything below is then the same however many threads there are.
void PoolEngine::rebase() {
  baseline_free_ = store_->free_sectors();
  charged_ = reserved_ + metadata_sectors();
  limits_ = table_.has_limits();
  if (limits_) roll_up();
}

bool PoolEngine::fits(const Dataset& dataset, std::uint64_t sectors) const {
  const std::uint64_t slop = store_->slop_sectors();
  const std::uint64_t kept = std::max(slop, slop / 2 + metadata_sectors());
  if (store_->free_sectors() < reserved_ + sectors + kept) return false;
  return !limits_ || dataset.available >= (reserved_ + sectors) * sector_bytes();
}

Status PoolEngine::admit(Dataset& dataset, std::uint64_t sectors) {
  if (replaying_) return ok();  // it was admitted before the power went
  const std::uint64_t charge = sectors + kNodesOfRecord * 2 * sectors_of(BtreeNode::kBytes);
  const bool surely = charged_ + charge + store_->slop_sectors() <= baseline_free_ &&
                      (!limits_ || (charged_ + charge) * sector_bytes() <= dataset.available);
  if (surely) {
    charged_ += charge;
    return ok();
  }
  BLKPRESS_TRY(drain());
  rebase();
  if (!fits(dataset, sectors)) {
    // Written out, records take what they need instead of what they might.
    write_out(0);
    BLKPRESS_TRY(drain());
    rebase();
  }
  // What was released comes back with the group.
  if (!fits(dataset, sectors)) BLKPRESS_TRY(commit_if_changed());
  if (fits(dataset, sectors)) {
    charged_ += charge;
    return ok();
  }
  if (limits_ && dataset.available < sectors * sector_bytes()) {
    for (const Dataset* at = &dataset; at != nullptr; at = at->parent_dataset) {
      if (at->quota != 0 && at->used + sectors * sector_bytes() > at->quota) {
        return Error{ErrorKind::no_space,
                     fmt::format("quota of {} bytes of '{}' is used up", at->quota, table_.path_of(*at))};
      }
    }
  }
  return Error{ErrorKind::no_space, "pool is full"};
}

// For changes that write no records, after drain(): they may use the slop.
Status PoolEngine::admit_metadata() {
  if (replaying_) return ok();
  const auto enough = [this] { return store_->free_sectors() >= reserved_ + metadata_sectors(); };
  if (enough() && dirty_nodes() <= kDirtyNodesMax) return ok();
  BLKPRESS_TRY(commit_if_changed());
  return enough() ? ok() : Error{ErrorKind::no_space, "pool is full"};
}

// Nodes that wait for the commit take memory. How many there are depends on how far the threads are, so it is looked at
// only now and then, when they are done.
Status PoolEngine::commit_if_many_nodes() {
  if (submitted_ < kSubmittedBetweenLooks || options_.read_only) return ok();
  submitted_ = 0;
  BLKPRESS_TRY(drain());
  return dirty_nodes() > kDirtyNodesMax ? commit() : ok();
}

void PoolEngine::submit_oldest() {
  DirtyRecords::Taken taken = dirty_.take_oldest();
  RecordJob job;
  job.key = taken.key;
  job.unit = taken.entry.object->record_bytes;
  job.object = std::move(taken.entry.object);
  job.bytes = std::move(taken.entry.bytes);
  job.reserved = taken.entry.reserved;
  Dataset& dataset = *table_.dataset(job.key.owner);
  if (const auto settings = settings_of(dataset); !settings) {
    // A codec that is not there any more: nothing was lost, but the record cannot be written.
    if (!place_error_) place_error_ = settings.error();
    if (!dirty_.not_placed(job.key, job.bytes)) reserved_ -= job.reserved;
    return;
  }
  job.settings = dataset.settings;
  ++submitted_;
  writer_->submit(std::move(job));
}

// Takes the oldest records until no more than so many bytes are open. Each is tried once.
void PoolEngine::write_out(std::uint64_t open_bytes_max) {
  if (options_.read_only) return;
  for (std::size_t tries = dirty_.open_count(); tries > 0 && dirty_.open_bytes() > open_bytes_max; --tries) {
    submit_oldest();
  }
}

Status PoolEngine::drain() {
  if (Status done = writer_->drain(); !done) return stop(done.error());
  if (place_error_ && place_error_->kind != ErrorKind::no_space) return stop(*place_error_);
  return ok();
}

Result<BlockPointer> PoolEngine::write_block(const RecordJob& job) {
  const RecordOutcome& outcome = job.finding.outcome;
  BlockPointer shape;
  if (outcome.kind == RecordKind::hole) return shape;
  shape.lsize = outcome.lsize;
  if (outcome.kind != RecordKind::raw) {
    shape.codec = job.settings->codec;
    shape.level = static_cast<std::int16_t>(job.settings->options.compression.level);
  }
  if (outcome.kind == RecordKind::embedded) {
    shape.kind = BlockKind::embedded;
    shape.psize = outcome.payload;
    shape.birth = store_->txg();
    std::copy_n(job.finding.embedded.begin(), outcome.payload, shape.payload.begin());
    return shape;
  }
  shape.kind = BlockKind::data;
  return store_->write(shape, job.stored, 1, job.checksum, BlockStore::Reserve::use, job.owner);
}

// Runs in the order of submission, whatever the number of threads.
void PoolEngine::place(RecordJob& job) {
  const auto failed = [&](const Error& error) {
    if (!place_error_) place_error_ = error;
    // The newest version stays dirty, with what is reserved for it; an older one does not matter.
    if (!dirty_.not_placed(job.key, job.bytes)) reserved_ -= job.reserved;
  };
  if (place_error_ && place_error_->kind != ErrorKind::no_space) return failed(*place_error_);
  Dataset& dataset = *table_.dataset(job.key.owner);
  const Result<Btree*> tree = tree_of(job.key.owner);
  if (!tree) return failed(tree.error());
  const Result<BlockPointer> pointer = write_block(job);
  if (!pointer) return failed(pointer.error());
  const std::string key = record_key(job.key.object, job.key.index);
  std::optional<std::string> before;
  if (pointer->is_hole()) {
    const auto found = (*tree)->get(key);
    if (!found) return failed(found.error());
    before = *found;
    if (before) {
      const auto erased = (*tree)->erase(key);
      if (!erased) return failed(erased.error());
    }
  } else {
    const auto exchanged = (*tree)->exchange(key, FieldWriter().pointer(*pointer).take());
    if (!exchanged) return failed(exchanged.error());
    before = *exchanged;
    born(dataset, *pointer);
  }
  if (before) {
    BlockPointer old;
    if (!FieldReader(*before).pointer(old).at_end()) {
      return failed({ErrorKind::corrupt, "pointer of a record is out of range"});
    }
    if (const Status done = kill(dataset, old); !done) return failed(done.error());
  }
  mark_changed(dataset);
  reserved_ -= job.reserved;
  if (dirty_.placed(job.key, job.bytes)) cache_.insert(job.key, job.bytes);
}

Status PoolEngine::commit_trees() {
  // Changing a tree's nodes may add dead blocks, but never to a dataset's tree: one round is enough.
  for (const std::uint64_t id : changed_) {
    Dataset& dataset = *table_.dataset(id);
    BLKPRESS_TRY(put_changed_objects(dataset));
    if (dataset.open.tree) {
      const Result<BlockPointer> root = dataset.open.tree->write();
      if (!root) return root.error();
      dataset.root = *root;
    }
    if (place_error_ && place_error_->kind != ErrorKind::no_space) return *place_error_;
    BLKPRESS_TRY(tree_->put(std::string(1, kDatasetKey) + key_number(id), dataset.encode()));
  }
  BLKPRESS_TRY(tree_->put(kPoolKey, FieldWriter().number(next_id_).number(next_dead_).take()));
  const Result<BlockPointer> root = tree_->write();
  if (!root) return root.error();
  return store_->commit(*root);
}

Status PoolEngine::commit() {
  BLKPRESS_TRY(changeable());
  place_error_.reset();
  write_out(0);
  BLKPRESS_TRY(drain());
  if (Status done = commit_trees(); !done) {
    // Without space the trees stay as they are in memory, and it may be tried again.
    return done.error().kind == ErrorKind::no_space ? done.error() : stop(done.error());
  }
  for (const std::uint64_t id : changed_) {
    forget_idle_objects(table_.dataset(id)->open);
  }
  changed_.clear();
  pool_changed_ = false;
  submitted_ = 0;
  measure_pool_metadata();
  forget_log();
  logged_ = false;
  rebase();
  if (place_error_) return *place_error_;
  return ok();
}

Status PoolEngine::commit_if_changed() {
  // A change that has undone another one leaves nothing to write, but the log still says the first.
  const bool log_holds = logged_ || structural_ || !unlogged_.empty();
  if (!pool_changed_ && !log_holds && changed_.empty() && dirty_.empty()) return ok();
  return commit();
}

void PoolEngine::forget_log() {
  unlogged_.clear();
  unlogged_bytes_ = 0;
  structural_ = false;
}

void PoolEngine::note_write(const ObjectState& object, std::uint64_t offset, std::uint64_t length, bool trim) {
  if (structural_ || replaying_) return;
  if (!trim) unlogged_bytes_ += length;
  if (unlogged_bytes_ > kLoggedBytesMax || unlogged_.size() >= kLoggedChangesMax) {
    forget_log();
    structural_ = true;
    return;
  }
  if (!unlogged_.empty()) {
    LoggedChange& last = unlogged_.back();
    if (last.trim == trim && last.owner == object.owner && last.object == object.id &&
        last.offset + last.length == offset) {
      last.length += length;
      return;
    }
  }
  unlogged_.push_back({trim, object.owner, object.id, offset, length});
}

// What the changes have left, which is what the changes said unless a later one, also in here, said otherwise.
Result<std::vector<std::byte>> PoolEngine::log_payload() {
  FieldWriter writer;
  Lock none;
  for (const LoggedChange& change : unlogged_) {
    writer.number(std::uint32_t{change.trim ? 1U : 0U});
    writer.number(change.owner).number(change.object).number(change.offset).number(change.length);
    if (change.trim) continue;
    ObjectState* object = nullptr;
    for (const auto& [name, open] : table_.dataset(change.owner)->open.objects) {
      if (open->id == change.object) object = open.get();
    }
    BLKPRESS_ASSERT(object != nullptr);
    std::string bytes(change.length, '\0');
    ReadStream stream;
    BLKPRESS_TRY(
        read(none, *object, stream, change.offset, {reinterpret_cast<std::byte*>(bytes.data()), bytes.size()}));
    writer.rest(bytes);
  }
  const std::string text = writer.take();
  const ByteView view = as_bytes(text.data(), text.size());
  return std::vector<std::byte>(view.begin(), view.end());
}

Status PoolEngine::flush() {
  if (options_.read_only) return ok();
  BLKPRESS_TRY(changeable());
  if (structural_ || place_error_) return commit();
  if (unlogged_.empty()) return ok();  // all changes since the last group are in the log, or there are none
  const auto payload = log_payload();
  if (!payload) return payload.error();
  const Result<bool> appended = store_->log_append(*payload);
  if (!appended) return stop(appended.error());
  if (!*appended) return commit();
  unlogged_.clear();
  unlogged_bytes_ = 0;
  logged_ = true;
  return ok();
}

}  // namespace blkpress
