// Changing the records of objects, and what lies where in them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "pool/pool_engine.hpp"

namespace blkpress {
namespace {

constexpr std::size_t kErasedAtOnce = 512;
// Of records that lie one behind the other: how many one range of next_data() may join.
constexpr std::size_t kJoinedMax = 4096;

Error corrupt(std::string message) { return {ErrorKind::corrupt, std::move(message)}; }

}  // namespace

Result<const RecordSettings*> PoolEngine::settings_of(Dataset& dataset) {
  if (!dataset.settings) {
    auto settings = record_settings(dataset, superblock().geometry.ashift, codecs_);
    if (!settings) return settings.error();
    dataset.settings = std::make_shared<const RecordSettings>(std::move(*settings));
  }
  return dataset.settings.get();
}

Status PoolEngine::writable(const ObjectState& object) {
  BLKPRESS_TRY(changeable());
  if (object.gone) return Error{ErrorKind::usage, "object is not there any more"};
  if (object.read_only) return Error{ErrorKind::usage, "a snapshot is read only"};
  Dataset& dataset = *table_.dataset(object.owner);
  const auto settings = settings_of(dataset);
  if (!settings) return settings.error();
  if ((*settings)->read_only && !replaying_) {
    return Error{ErrorKind::usage, fmt::format("dataset '{}' is read only", table_.path_of(dataset))};
  }
  return ok();
}

// The record for changing it. whole: nothing of what it holds is needed.
Result<DirtyRecords::Entry*> PoolEngine::make_dirty(const std::shared_ptr<ObjectState>& object, std::uint64_t index,
                                                    bool whole) {
  const RecordKey key{object->owner, object->id, index};
  if (auto* entry = dirty_.find(key); entry != nullptr && entry->open) return entry;
  Dataset& dataset = *table_.dataset(object->owner);
  const auto settings = settings_of(dataset);
  if (!settings) return settings.error();
  // A file of one record may still grow up to the record size.
  const std::uint64_t unit_max =
      object->frozen ? object->record_bytes
                     : std::max<std::uint64_t>((*settings)->options.recordsize, std::bit_ceil(object->record_bytes));
  const std::uint64_t reserved = sectors_of(unit_max);
  BLKPRESS_TRY(admit(dataset, reserved));
  // A version that was under way may have found no place: it is open again.
  if (auto* entry = dirty_.find(key); entry != nullptr && entry->open) return entry;
  std::shared_ptr<RecordBytes> bytes;
  if (whole) {
    bytes = std::make_shared<RecordBytes>();
    cache_.erase(key);
  } else if (auto cached = dirty_.find(key) == nullptr ? cache_.take(key) : nullptr;
             cached && cached.use_count() == 1) {
    // Nobody else looks at it, and it was made by make_shared<RecordBytes>.
    bytes = std::const_pointer_cast<RecordBytes>(cached);
  } else {
    auto before = cached ? Result<std::shared_ptr<const RecordBytes>>(cached) : load_record(*object, index);
    if (!before) return before.error();
    bytes = *before ? std::make_shared<RecordBytes>(ByteView(**before)) : std::make_shared<RecordBytes>();
  }
  reserved_ += reserved;
  return &dirty_.open(key, object, std::move(bytes), reserved);
}

// OpenZFS, module/zfs/zfs_vnops.c:zfs_write: while a file has one block, that block grows with it in steps of 512, up
// to the record size; a power of two that was reached under an earlier, smaller record size stays.
Status PoolEngine::grow(const std::shared_ptr<ObjectState>& object, std::uint64_t end) {
  if (end > kObjectBytesMax) {
    return Error{ErrorKind::no_space, fmt::format("object would have {} bytes, more than {}", end, kObjectBytesMax)};
  }
  if (!object->frozen && end > object->record_bytes) {
    const auto settings = settings_of(*table_.dataset(object->owner));
    if (!settings) return settings.error();
    const std::uint64_t wanted = (*settings)->options.recordsize, unit = object->record_bytes;
    if (!is_power_of_two(unit) || unit < wanted) {
      const std::uint64_t limit = unit > wanted ? std::bit_ceil(unit) : wanted;
      // The record is stored in its new size, also when nothing in it changes.
      const auto present = load_record(*object, 0);
      if (!present) return present.error();
      if (*present) {
        const auto entry = make_dirty(object, 0, false);
        if (!entry) return entry.error();
      }
      object->record_bytes = static_cast<std::uint32_t>(std::min(limit, round_up(end, 512)));
      cache_.erase({object->owner, object->id, 0});
    }
    object->frozen = end > object->record_bytes;
  }
  if (end > object->size) object->size = end;
  object->changed = true;
  mark_changed(*table_.dataset(object->owner));
  return ok();
}

Status PoolEngine::write(const std::shared_ptr<ObjectState>& object, std::uint64_t offset, ByteView source) {
  BLKPRESS_TRY(writable(*object));
  const bool volume = object->name.empty();
  if (volume && (offset > object->size || source.size() > object->size - offset)) {
    return Error{ErrorKind::no_space,
                 fmt::format("{} bytes at {} are beyond the volume's {}", source.size(), offset, object->size)};
  }
  if (source.empty()) return ok();
  if (offset > kObjectBytesMax || source.size() > kObjectBytesMax - offset) return grow(object, UINT64_MAX);
  while (!source.empty()) {
    const ObjectState before = *object;
    // Record by record, so that what did not fit has not made the object longer. A single block grows to what is to
    // come at once.
    const std::uint64_t unit = object->frozen ? object->record_bytes : 0;
    const std::uint64_t next = unit == 0 ? source.size() : std::min<std::uint64_t>(source.size(), unit - offset % unit);
    if (!volume) BLKPRESS_TRY(grow(object, offset + next));
    const std::uint64_t index = offset / object->record_bytes, from = offset % object->record_bytes;
    const std::size_t count = std::min<std::uint64_t>(next, object->record_bytes - from);
    const bool whole = from == 0 && count == object->record_bytes;
    const auto entry = make_dirty(object, index, whole);
    if (!entry) {
      object->size = before.size;
      object->record_bytes = before.record_bytes;
      object->frozen = before.frozen;
      return entry.error();
    }
    if (!volume) object->size = std::max(before.size, offset + count);
    RecordBytes& bytes = *(*entry)->bytes;
    if (whole && bytes.empty()) {
      bytes.set_size(count);
      std::memcpy(bytes.data(), source.data(), count);
      dirty_.resized(count);
    } else {
      if (bytes.size() < from + count) dirty_.resize(**entry, object->frozen ? object->record_bytes : from + count);
      std::memcpy(bytes.data() + from, source.data(), count);
    }
    note_write(*object, offset, count, false);
    offset += count;
    source = source.subspan(count);
    write_out(options_.dirty_bytes_max / 2);
    BLKPRESS_TRY(commit_if_many_nodes());
  }
  return ok();
}

Status PoolEngine::zero_part(const std::shared_ptr<ObjectState>& object, std::uint64_t index, std::uint64_t from,
                             std::uint64_t to) {
  const auto present = load_record(*object, index);
  if (!present) return present.error();
  if (!*present || from >= (*present)->size() || from >= to) return ok();
  const auto entry = make_dirty(object, index, false);
  if (!entry) return entry.error();
  RecordBytes& bytes = *(*entry)->bytes;
  std::memset(bytes.data() + from, 0, std::min<std::uint64_t>(to, bytes.size()) - from);
  return ok();
}

// Nothing of them is under way.
Status PoolEngine::erase_records(ObjectState& object, std::uint64_t from_index, std::uint64_t to_index) {
  reserved_ -= dirty_.erase(object.owner, object.id, from_index, to_index);
  cache_.erase_object(object.owner, object.id, from_index, to_index);
  Dataset& dataset = *table_.dataset(object.owner);
  const std::string begin = record_key(object.id, from_index), end = record_key(object.id, to_index);
  while (true) {
    BLKPRESS_TRY(admit_metadata());
    const auto tree = tree_of(object.owner);
    if (!tree) return tree.error();
    std::vector<std::pair<std::string, BlockPointer>> found;
    bool good = true;
    BLKPRESS_TRY((*tree)->scan(begin, end, [&](std::string_view key, std::string_view value) {
      BlockPointer pointer;
      good = FieldReader(value).pointer(pointer).at_end();
      if (good) found.emplace_back(key, pointer);
      return good && found.size() < kErasedAtOnce;
    }));
    if (!good) return corrupt("pointer of a record is out of range");
    for (const auto& [key, pointer] : found) {
      const auto erased = (*tree)->erase(key);
      if (!erased) return stop(erased.error());
      if (Status done = kill(dataset, pointer); !done) return stop(done.error());
    }
    if (place_error_ && place_error_->kind != ErrorKind::no_space) return stop(*place_error_);
    if (found.size() < kErasedAtOnce) return ok();
  }
}

Status PoolEngine::trim(const std::shared_ptr<ObjectState>& object, std::uint64_t offset, std::uint64_t length) {
  BLKPRESS_TRY(writable(*object));
  if (object->name.empty() && (offset > object->size || length > object->size - offset)) {
    return Error{ErrorKind::usage,
                 fmt::format("{} bytes at {} are beyond the volume's {}", length, offset, object->size)};
  }
  if (offset >= object->size || length == 0) return ok();
  const std::uint64_t end = std::min(object->size, length > object->size - offset ? object->size : offset + length);
  const std::uint64_t unit = object->record_bytes;
  // What is released can be taken again at once, so it must not depend on how far the threads are.
  BLKPRESS_TRY(drain());
  const std::uint64_t first = (offset + unit - 1) / unit;
  const std::uint64_t last = end == object->size ? (end + unit - 1) / unit : end / unit;
  if (first > last) {
    BLKPRESS_TRY(zero_part(object, offset / unit, offset % unit, end - offset / unit * unit));
  } else {
    if (offset % unit != 0) BLKPRESS_TRY(zero_part(object, offset / unit, offset % unit, unit));
    if (last * unit < end) BLKPRESS_TRY(zero_part(object, last, 0, end % unit));
    BLKPRESS_TRY(drain());
    if (first < last) BLKPRESS_TRY(erase_records(*object, first, last));
  }
  note_write(*object, offset, end - offset, true);
  return ok();
}

Status PoolEngine::resize(const std::shared_ptr<ObjectState>& object, std::uint64_t size) {
  BLKPRESS_TRY(writable(*object));
  if (size == object->size) return ok();
  structural_ = true;
  if (size > object->size && !object->name.empty()) return grow(object, size);
  if (size > kObjectBytesMax) {
    return Error{ErrorKind::usage, fmt::format("{} bytes are more than {}", size, kObjectBytesMax)};
  }
  if (size < object->size) {
    BLKPRESS_TRY(drain());
    const std::uint64_t unit = object->record_bytes;
    if (size % unit != 0) BLKPRESS_TRY(zero_part(object, size / unit, size % unit, unit));
    BLKPRESS_TRY(drain());
    BLKPRESS_TRY(erase_records(*object, (size + unit - 1) / unit, UINT64_MAX));
  }
  object->size = size;
  object->changed = true;
  mark_changed(*table_.dataset(object->owner));
  return ok();
}

Result<std::optional<DataRange>> PoolEngine::next_data(const ObjectState& object, std::uint64_t offset) {
  if (object.gone) return Error{ErrorKind::usage, "object is not there any more"};
  const std::uint64_t unit = object.record_bytes;
  if (offset >= object.size) return std::optional<DataRange>();
  const auto tree = tree_of(object.owner);
  if (!tree) return tree.error();
  std::uint64_t begin = 0, end = 0;
  std::size_t joined = 0;
  const auto join = [&](std::uint64_t index) {
    if (joined++ == 0) begin = end = index;
    if (index != end || joined > kJoinedMax) return false;
    ++end;
    return true;
  };
  std::vector<std::uint64_t> stored;
  BLKPRESS_TRY((*tree)->scan(record_key(object.id, offset / unit), record_key(object.id, UINT64_MAX),
                             [&](std::string_view key, std::string_view) {
                               if (key.size() == kRecordKeyBytes) stored.push_back(key_number_at(key, 9));
                               const std::size_t count = stored.size();
                               return count < kJoinedMax && (count < 2 || stored[count - 1] == stored[count - 2] + 1);
                             }));
  auto at = stored.begin();
  for (std::uint64_t from = offset / unit;; from = end) {
    const auto dirty = dirty_.next(object.owner, object.id, from);
    while (at != stored.end() && *at < from) ++at;
    if (!dirty && at == stored.end()) break;
    const std::uint64_t index = at == stored.end() ? *dirty : dirty ? std::min(*dirty, *at) : *at;
    if (!join(index)) break;
  }
  if (joined == 0 || begin * unit >= object.size) return std::optional<DataRange>();
  return std::optional(DataRange{std::max(begin * unit, offset), std::min(end * unit, object.size)});
}

Result<ObjectUsage> PoolEngine::usage(const ObjectState& object) {
  if (object.gone) return Error{ErrorKind::usage, "object is not there any more"};
  const auto tree = tree_of(object.owner);
  if (!tree) return tree.error();
  ObjectUsage usage;
  bool good = true;
  BLKPRESS_TRY((*tree)->scan(record_key(object.id, 0), record_key(object.id, UINT64_MAX),
                             [&](std::string_view, std::string_view value) {
                               BlockPointer pointer;
                               good = FieldReader(value).pointer(pointer).at_end();
                               if (!good) return false;
                               ++usage.records;
                               usage.logical += pointer.lsize;
                               if (pointer.kind != BlockKind::data) return true;
                               usage.compressed += pointer.psize;
                               usage.allocated += pointer.allocated_sectors() * sector_bytes();
                               return true;
                             }));
  if (!good) return corrupt("pointer of a record is out of range");
  return usage;
}

}  // namespace blkpress
