// Reading the records of objects.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "pool/pool_engine.hpp"

namespace blkpress {
namespace {

// Small copies are quicker than letting go of the lock and taking it again.
constexpr std::size_t kCopyUnderLock = 16 * kKiB;
constexpr std::size_t kTreeNodesKept = 256;
// Records that are read ahead when the second read follows the first; twice as many with each one more.
constexpr std::uint64_t kAheadMin = 2;

Error corrupt(std::string message) { return {ErrorKind::corrupt, std::move(message)}; }

// Copies a part of a record, which may be shorter than its object's records are: zeros follow.
void copy_part(const RecordBytes* bytes, std::uint64_t from, ByteSpan target) {
  const std::size_t have =
      bytes == nullptr || from >= bytes->size() ? 0 : std::min(target.size(), bytes->size() - from);
  if (have > 0) std::memcpy(target.data(), bytes->data() + from, have);
  std::memset(target.data() + have, 0, target.size() - have);
}

}  // namespace

Result<Btree*> PoolEngine::tree_of(std::uint64_t owner) {
  OpenTree* open = table_.open_tree(owner);
  if (open == nullptr) return corrupt(fmt::format("there is no dataset {}", owner));
  if (open->tree) return open->tree.get();
  Dataset* dataset = table_.dataset(owner);
  if (dataset == nullptr) {
    open->tree =
        std::make_unique<Btree>(*store_, table_.snapshot(owner)->root, Btree::Release(), Btree::Born(), kTreeNodesKept);
    return open->tree.get();
  }
  const auto release = [this, dataset](const BlockPointer& pointer) {
    if (const Status done = kill(*dataset, pointer); !done && !place_error_) place_error_ = done.error();
  };
  const auto born = [this, dataset](const BlockPointer& pointer) { this->born(*dataset, pointer); };
  open->tree = std::make_unique<Btree>(*store_, dataset->root, release, born, kTreeNodesKept);
  return open->tree.get();
}

Result<BlockPointer> PoolEngine::pointer_of(Btree& tree, std::uint64_t object, std::uint64_t index) {
  const auto value = tree.get(record_key(object, index));
  if (!value) return value.error();
  BlockPointer pointer;
  if (*value && !FieldReader(**value).pointer(pointer).at_end()) {
    return corrupt(fmt::format("pointer of record {} is out of range", index));
  }
  if (pointer.kind == BlockKind::metadata) return corrupt(fmt::format("pointer of record {} is a node's", index));
  return pointer;
}

Result<std::shared_ptr<const RecordBytes>> PoolEngine::decode(const BlockPointer& pointer, ByteView stored,
                                                              std::uint32_t record_bytes) {
  if (pointer.lsize > record_bytes || pointer.lsize == 0) return corrupt("pointer of a record: it is too long");
  if (pointer.codec == 0) {
    if (stored.size() != pointer.lsize) return corrupt("pointer of a record: sizes contradict each other");
    return std::shared_ptr<const RecordBytes>(std::make_shared<RecordBytes>(stored));
  }
  auto decoder = codecs_.decoder(pointer.codec);
  if (!decoder) return decoder.error();
  auto bytes = std::make_shared<RecordBytes>(pointer.lsize);
  const Status done = (*decoder)->decompress(stored, *bytes);
  codecs_.give_back(pointer.codec, std::move(*decoder));
  if (!done) return done.error();
  return std::shared_ptr<const RecordBytes>(std::move(bytes));
}

Result<std::shared_ptr<const RecordBytes>> PoolEngine::load_record(const ObjectState& object, std::uint64_t index) {
  const RecordKey key{object.owner, object.id, index};
  if (const auto* entry = dirty_.find(key)) return std::shared_ptr<const RecordBytes>(entry->bytes);
  if (auto cached = cache_.find(key)) return cached;
  const auto tree = tree_of(object.owner);
  if (!tree) return tree.error();
  const auto pointer = pointer_of(**tree, object.id, index);
  if (!pointer) return pointer.error();
  if (pointer->is_hole()) return std::shared_ptr<const RecordBytes>();
  if (pointer->kind == BlockKind::embedded) {
    return decode(*pointer, ByteView(pointer->payload).first(pointer->psize), object.record_bytes);
  }
  const auto stored = store_->read(*pointer);
  if (!stored) return stored.error();
  return decode(*pointer, *stored, object.record_bytes);
}

// Whether what was read without the lock is still what the record has.
Result<bool> PoolEngine::still_holds(const ObjectState& object, const RecordKey& key, const BlockPointer& pointer,
                                     std::uint64_t changes) {
  BLKPRESS_TRY(usable());
  if (object.gone) return Error{ErrorKind::usage, "object is not there any more"};
  if (dirty_.find(key) != nullptr) return false;
  if (changes == changes_) return true;
  const auto tree = tree_of(key.owner);
  if (!tree) return tree.error();
  const auto now = pointer_of(**tree, key.object, key.index);
  if (!now) return now.error();
  return *now == pointer;
}

// Lets go of the lock while it waits, reads and decodes. A target as long as the record is decoded into.
Result<PoolEngine::Fetched> PoolEngine::fetch(Lock& lock, const ObjectState& object, const RecordKey& key,
                                              ByteSpan target) {
  // Whatever went wrong, or was written meanwhile: now without anybody in between.
  const auto loaded = [&]() -> Result<Fetched> {
    auto bytes = load_record(object, key.index);
    if (!bytes) return bytes.error();
    return Fetched{std::move(*bytes)};
  };
  if (!lock.owns_lock()) return loaded();
  if (const auto begun = ahead_->take(key)) {
    const auto ahead = ahead_;
    lock.unlock();
    auto bytes = ahead->wait(*begun);
    lock.lock();
    const auto holds = still_holds(object, key, begun->pointer, begun->changes);
    if (!holds) return holds.error();
    if (!*holds) return loaded();
    if (bytes) return Fetched{std::move(bytes)};
  }
  const auto tree = tree_of(key.owner);
  if (!tree) return tree.error();
  const auto pointer = pointer_of(**tree, key.object, key.index);
  if (!pointer) return pointer.error();
  if (pointer->kind != BlockKind::data) return loaded();
  if (pointer->lsize > object.record_bytes || pointer->lsize == 0) {
    return corrupt("pointer of a record: it is too long");
  }
  std::unique_ptr<CodecContext> decoder;
  if (pointer->codec != 0) {
    auto got = codecs_.decoder(pointer->codec);
    if (!got) return got.error();
    decoder = std::move(*got);
  }
  const std::uint64_t changes = changes_;
  const auto store = store_;
  lock.unlock();
  std::shared_ptr<RecordBytes> bytes;
  const bool in_target = target.size() == pointer->lsize;
  if (!in_target) bytes = std::make_shared<RecordBytes>(pointer->lsize);
  const ByteSpan room = in_target ? target : ByteSpan(*bytes);
  bool good = false;
  if (decoder) {
    RecordBytes stored(pointer->psize);
    good = store->try_read(*pointer, stored) && decoder->decompress(stored, room);
  } else {
    good = pointer->psize == pointer->lsize && store->try_read(*pointer, room);
  }
  lock.lock();
  if (decoder) codecs_.give_back(pointer->codec, std::move(decoder));
  const auto holds = still_holds(object, key, *pointer, changes);
  if (!holds) return holds.error();
  if (!*holds || !good) return loaded();
  return Fetched{std::move(bytes), in_target};
}

// past_cache: a whole record is not kept.
Status PoolEngine::copy_record(Lock& lock, ObjectState& object, std::uint64_t index, std::uint64_t from,
                               ByteSpan target, bool past_cache) {
  const RecordKey key{object.owner, object.id, index};
  // An open record may change as soon as the lock is gone.
  if (const auto* entry = dirty_.find(key)) {
    copy_part(entry->bytes.get(), from, target);
    return ok();
  }
  auto bytes = cache_.find(key);
  if (!bytes) {
    const bool past = past_cache && target.size() == object.record_bytes;
    auto fetched = fetch(lock, object, key, past ? target : ByteSpan());
    if (!fetched) return fetched.error();
    if (fetched->in_target) return ok();
    bytes = std::move(fetched->bytes);
    if (const auto* entry = dirty_.find(key)) {
      copy_part(entry->bytes.get(), from, target);
      return ok();
    }
    if (bytes && !past) cache_.insert(key, bytes);
  }
  const bool let_go = lock.owns_lock() && target.size() > kCopyUnderLock;
  if (let_go) lock.unlock();
  copy_part(bytes.get(), from, target);
  if (let_go) lock.lock();
  return ok();
}

// Begins with records behind `first`, which the caller reads itself: those that are asked for, and when reads follow
// each other some more. Those that are stored as they are cost no more than handing them over would.
void PoolEngine::read_ahead(const ObjectState& object, ReadStream& stream, std::uint64_t first,
                            std::uint64_t requested_end) {
  const std::uint64_t most = ahead_->records_max(object.record_bytes);
  stream.ahead = std::min(stream.ahead, most);
  const std::uint64_t objects_end = (object.size + object.record_bytes - 1) / object.record_bytes;
  const std::uint64_t to = std::min({std::max(first + 1 + stream.ahead, requested_end), first + 1 + most, objects_end});
  const std::uint64_t from = std::max(first + 1, stream.ahead_end);
  if (to <= from) return;
  // Not for every single record.
  if (from > first + 1 && to - from < stream.ahead / 2 && to < objects_end) return;
  stream.ahead_end = to;
  const auto tree = tree_of(object.owner);
  if (!tree) return;
  const auto begin = [&](std::string_view record, std::string_view value) {
    ReadAhead::Record ahead;
    const RecordKey key{object.owner, object.id, key_number_at(record, kRecordKeyBytes - 8)};
    if (!FieldReader(value).pointer(ahead.pointer).at_end()) return false;
    const BlockPointer& pointer = ahead.pointer;
    const bool useful = pointer.kind == BlockKind::data && pointer.codec != 0 && pointer.lsize <= object.record_bytes;
    if (!useful || dirty_.find(key) != nullptr || cache_.contains(key)) return true;
    const auto codec = codecs_.codec(pointer.codec);
    if (!codec) return false;
    ahead.codec = *codec;
    ahead.changes = changes_;
    ahead_->start(key, std::move(ahead));
    return true;
  };
  // Whoever asks for the record is told what is wrong.
  if (const Status done = (*tree)->scan(record_key(object.id, from), record_key(object.id, to), begin); !done) return;
}

Status PoolEngine::read(Lock& lock, ObjectState& object, ReadStream& stream, std::uint64_t offset, ByteSpan target) {
  const bool follows = offset == stream.end;
  stream.ahead = follows ? std::max(2 * stream.ahead, kAheadMin) : 0;
  if (!follows) stream.ahead_end = 0;
  stream.end = offset + target.size();
  // What is longer than the cache would only push everything else out.
  const bool past_cache = follows && object.size > options_.cache_bytes_max;
  while (!target.empty()) {
    BLKPRESS_TRY(usable());
    if (object.gone) return Error{ErrorKind::usage, "object is not there any more"};
    const std::uint64_t unit = object.record_bytes, index = offset / unit, from = offset % unit;
    const std::size_t count = std::min<std::uint64_t>(target.size(), unit - from);
    if (lock.owns_lock()) read_ahead(object, stream, index, (offset + target.size() + unit - 1) / unit);
    BLKPRESS_TRY(copy_record(lock, object, index, from, target.first(count), past_cache));
    offset += count;
    target = target.subspan(count);
  }
  return ok();
}

}  // namespace blkpress
