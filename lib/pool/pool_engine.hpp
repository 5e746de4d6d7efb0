// PoolEngine: what Pool does, under its lock.
//
// Its functions are in files by subject: pool_engine.cpp (make, open, close), pool_groups.cpp (transaction groups,
// space and the intent log), pool_reads.cpp, pool_records.cpp (changing objects), pool_objects.cpp (names of objects),
// pool_datasets.cpp (datasets and their properties), pool_snapshots.cpp, pool_walk.cpp. Threads: whoever calls holds
// `mutex`; read() lets go of it while it decodes.
#pragma once

#include <mutex>
#include <set>

#include "pool/dataset_properties.hpp"
#include "pool/dead_lists.hpp"
#include "pool/dirty_records.hpp"
#include "pool/read_ahead.hpp"
#include "pool/record_writer.hpp"

namespace blkpress {

class PoolEngine {
 public:
  using Lock = std::unique_lock<std::mutex>;

  static Result<std::unique_ptr<PoolEngine>> create(std::unique_ptr<BlockFile> file,
                                                    const PoolGeometryOptions& geometry, const PoolOptions& options);
  static Result<std::unique_ptr<PoolEngine>> open(std::unique_ptr<BlockFile> file, const PoolOptions& options);

  std::mutex mutex;

  // pool_groups.cpp
  Status flush();
  Status close();

  // pool_reads.cpp. object is open; offset and sizes in bytes, here and below.
  Status read(Lock& lock, ObjectState& object, ReadStream& stream, std::uint64_t offset, ByteSpan target);

  // pool_records.cpp
  Status write(const std::shared_ptr<ObjectState>& object, std::uint64_t offset, ByteView source);
  Status trim(const std::shared_ptr<ObjectState>& object, std::uint64_t offset, std::uint64_t length);
  Status resize(const std::shared_ptr<ObjectState>& object, std::uint64_t size);
  Result<std::optional<DataRange>> next_data(const ObjectState& object, std::uint64_t offset);
  Result<ObjectUsage> usage(const ObjectState& object);

  // pool_objects.cpp
  Result<std::shared_ptr<ObjectState>> open_object(const std::string& dataset, const std::string& name);
  Result<std::shared_ptr<ObjectState>> create_object(const std::string& dataset, const std::string& name);
  Result<std::shared_ptr<ObjectState>> open_volume(const std::string& name);
  Status remove_object(const std::string& dataset, const std::string& name);
  Status rename_object(const std::string& dataset, const std::string& from, const std::string& to);
  Result<std::vector<ObjectInfo>> objects(const std::string& dataset);

  // pool_datasets.cpp
  Status create_dataset(const std::string& path, std::optional<std::uint64_t> volume_bytes,
                        const std::vector<Property>& properties);
  Status rename(const std::string& from, const std::string& to);
  Status set(const std::string& path, const Property& property);
  Status inherit(const std::string& path, const std::string& property, bool recursive);
  Result<PropertyValue> get(const std::string& name, const std::string& property);
  Result<std::vector<PropertyValue>> get_all(const std::string& name);
  Result<std::vector<DatasetInfo>> list(const std::string& name);
  Result<PoolUsage> usage();

  // pool_snapshots.cpp
  Status snapshot(const std::string& name, bool recursive);
  Status rollback(const std::string& name, bool destroy_later);
  Status clone(const std::string& snapshot, const std::string& path, const std::vector<Property>& properties);
  Status destroy(const std::string& name, bool recursive);

  // pool_walk.cpp. read_all: every copy of every block too.
  Result<CheckReport> check(bool read_all);

  // Fixed; without the lock.
  [[nodiscard]] unsigned ashift() const { return ashift_; }
  [[nodiscard]] std::uint64_t guid() const { return guid_; }
  [[nodiscard]] const Superblock& superblock() const { return store_->superblock(); }
  // Errors: usage: the pool is closed.
  [[nodiscard]] Status usable() const;

 private:
  friend class PoolWalk;

  PoolEngine(std::unique_ptr<BlockStore> store, const PoolOptions& options);

  // pool_engine.cpp
  Status load();
  Status replay_log();
  Status apply_log_entry(ByteView payload);
  std::uint64_t now() const { return options_.clock_s(); }
  std::uint64_t new_guid() const { return options_.guid(); }
  std::uint64_t new_id() { return next_id_++; }

  // pool_groups.cpp
  [[nodiscard]] Status changeable() const;
  // The error leaves memory and file apart: no more changes.
  Error stop(Error error);
  Status commit();
  Status commit_if_changed();
  Status commit_trees();
  Status drain();
  void submit_oldest();
  void write_out(std::uint64_t open_bytes_max);
  void place(RecordJob& job);
  Result<BlockPointer> write_block(const RecordJob& job);
  Status admit(Dataset& dataset, std::uint64_t sectors);
  Status admit_metadata();
  [[nodiscard]] bool fits(const Dataset& dataset, std::uint64_t sectors) const;
  [[nodiscard]] std::uint64_t metadata_sectors() const;
  [[nodiscard]] std::uint64_t capacity() const;
  [[nodiscard]] std::size_t dirty_nodes() const;
  Status commit_if_many_nodes();
  void measure_pool_metadata();
  void rebase();
  void roll_up();
  // What becomes of a block that a dataset's tree does not lead to any more, or leads to now.
  Status kill(Dataset& dataset, const BlockPointer& pointer);
  void born(Dataset& dataset, const BlockPointer& pointer);
  void mark_changed(Dataset& dataset);
  [[nodiscard]] std::uint64_t sector_bytes() const { return superblock().geometry.sector_bytes(); }
  [[nodiscard]] std::uint64_t sectors_of(std::uint64_t bytes) const {
    return round_up(bytes, sector_bytes()) / sector_bytes();
  }
  void note_write(const ObjectState& object, std::uint64_t offset, std::uint64_t length, bool trim);
  void forget_log();
  Result<std::vector<std::byte>> log_payload();

  // pool_reads.cpp
  Result<Btree*> tree_of(std::uint64_t owner);
  Result<BlockPointer> pointer_of(Btree& tree, std::uint64_t object, std::uint64_t index);
  // Null: a hole. With the lock held all the time.
  Result<std::shared_ptr<const RecordBytes>> load_record(const ObjectState& object, std::uint64_t index);
  Result<std::shared_ptr<const RecordBytes>> decode(const BlockPointer& pointer, ByteView stored,
                                                    std::uint32_t record_bytes);
  Status copy_record(Lock& lock, ObjectState& object, std::uint64_t index, std::uint64_t from, ByteSpan target,
                     bool past_cache);
  struct Fetched {
    std::shared_ptr<const RecordBytes> bytes;  // null: a hole
    bool in_target = false;                    // they are where the caller wants them
  };
  Result<Fetched> fetch(Lock& lock, const ObjectState& object, const RecordKey& key, ByteSpan target);
  Result<bool> still_holds(const ObjectState& object, const RecordKey& key, const BlockPointer& pointer,
                           std::uint64_t changes);
  void read_ahead(const ObjectState& object, ReadStream& stream, std::uint64_t first, std::uint64_t requested_end);

  // pool_records.cpp
  Result<const RecordSettings*> settings_of(Dataset& dataset);
  Result<DirtyRecords::Entry*> make_dirty(const std::shared_ptr<ObjectState>& object, std::uint64_t index, bool whole);
  Status grow(const std::shared_ptr<ObjectState>& object, std::uint64_t end);
  Status zero_part(const std::shared_ptr<ObjectState>& object, std::uint64_t index, std::uint64_t from,
                   std::uint64_t to);
  Status erase_records(ObjectState& object, std::uint64_t from_index, std::uint64_t to_index);
  [[nodiscard]] Status writable(const ObjectState& object);

  // pool_objects.cpp
  Result<std::shared_ptr<ObjectState>> find_object(std::uint64_t owner, std::string_view name);
  struct Owner {
    std::uint64_t id = 0;  // of a dataset or a snapshot
    bool volume = false;
  };
  Result<Owner> owner_of(const std::string& name);
  Result<std::uint64_t> filesystem_owner(const std::string& name);
  Result<Dataset*> writable_filesystem(const std::string& name);
  Status put_object(const ObjectState& object);
  Status put_changed_objects(Dataset& dataset);
  void forget_idle_objects(OpenTree& open);

  // pool_datasets.cpp
  Result<std::unique_ptr<Dataset>> new_dataset(const std::string& path, bool volume,
                                               const std::vector<Property>& properties);
  Status number_codec(const Dataset& dataset);
  Status put_properties(const Dataset& dataset);
  Status erase_property(Dataset& dataset, const std::string& name);
  void forget_settings();
  Status check_limits(Dataset& dataset, const Property& property, const std::string& value);
  Result<PropertyFacts> facts_of(Dataset& dataset);
  Result<PropertyFacts> facts_of(Snapshot& snapshot);

  // pool_snapshots.cpp
  Status put_snapshot(const Snapshot& snapshot);
  Status destroy_snapshot(Snapshot& snapshot);
  Status free_dataset(Dataset& dataset);
  Status destroy_all(Dataset& top);
  void close_tree(std::uint64_t owner);

  struct LoggedChange {
    bool trim = false;
    std::uint64_t owner = 0, object = 0, offset = 0, length = 0;
  };

  PoolOptions options_;
  std::shared_ptr<BlockStore> store_;  // also of those who read without the lock
  unsigned ashift_;
  std::uint64_t guid_;
  std::unique_ptr<Btree> tree_;  // the pool's
  DatasetTable table_;
  PoolCodecs codecs_;
  std::uint64_t next_id_ = 1, next_dead_ = 1;
  DeadLists dead_;
  RecordCache cache_;
  DirtyRecords dirty_;
  std::set<std::uint64_t> changed_;  // datasets
  bool pool_changed_ = false;        // the pool's tree was
  std::unique_ptr<RecordWriter> writer_;
  std::shared_ptr<ReadAhead> ahead_;  // also of those who wait for it
  std::uint64_t changes_ = 0;         // of datasets since the pool was opened
  std::optional<Error> place_error_;  // of a record, since the last commit
  bool stopped_ = false, closed_ = false, replaying_ = false;

  // Space. A change is admitted at once while what was charged since the last look at the store stays below what was
  // free then. That depends on the order of the calls only, not on how far the threads are.
  std::uint64_t baseline_free_ = 0, charged_ = 0, reserved_ = 0;
  std::uint64_t pool_metadata_ = 0;  // bytes
  std::size_t submitted_ = 0;        // records, since somebody looked
  bool limits_ = false;              // some dataset has a quota or a reservation

  // What the intent log does not hold yet. structural_: a change that it cannot hold.
  std::vector<LoggedChange> unlogged_;
  std::uint64_t unlogged_bytes_ = 0;
  bool structural_ = false;
  bool logged_ = false;  // the intent log holds something since the last commit
};

}  // namespace blkpress
