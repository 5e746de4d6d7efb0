// Pool: compressed datasets and volumes in one file, copied on write, that survive a power cut.
//
//   auto pool = Pool::create("disk.blkp", {.size = 10 * kGiB});               // Result<std::unique_ptr<Pool>>
//   (*pool)->create_volume("vm", 4 * kGiB, {{"compression", "zstd"}});
//   auto disk = (*pool)->open_volume("vm");                                   // Result<std::shared_ptr<PoolObject>>
//   (*disk)->write(0, bytes); (*disk)->flush();
//
// A pool holds a tree of datasets. A filesystem dataset holds named objects (byte streams that are cut into records), a
// volume dataset is one object of fixed size. A dataset is named by its path below the pool: "" is the pool's own
// (root) filesystem, "db/wal" a descendant, "db@monday" a snapshot. What is stored for a record is decided by policy
// zfs (zfs_policy.hpp), so the data space equals what the estimator promises, to the byte.
//
// Durability. Writes are kept in memory, and written in transaction groups. flush() returns when all earlier writes of
// the whole pool survive a power cut; what was not flushed is, record by record, wholly there or wholly absent. A
// change of datasets, properties or snapshots is on stable storage when its call returns. docs/pool.md says what is
// guaranteed and what is not, docs/format.md has the bytes.
//
// Threads: every function of Pool and PoolObject may be called from any thread at any time, except destructors. Calls
// wait for each other while they change something; reads of different records decode side by side. The bytes stored
// depend on the order of the calls only, not on the number of threads. No global state: several pools may be open in
// one process. Errors of every function, besides those named: io, after which the pool takes no more changes until it
// is opened anew; corrupt, when stored bytes do not match their checksum.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/block_file.hpp"
#include "blkpress/codec.hpp"
#include "blkpress/policy.hpp"
#include "blkpress/result.hpp"

namespace blkpress {

// How a pool is used while it is open; nothing of it is stored.
struct PoolOptions {
  unsigned threads = 0;                         // that compress; 0: one for each core
  std::uint64_t dirty_bytes_max = 64 * kMiB;    // written records that wait in memory, at least 1 MiB
  std::uint64_t cache_bytes_max = 64 * kMiB;    // records that were read, decoded
  bool read_only = false;                       // nothing is written to the file, not even to heal it
  std::vector<const CodecInfo*> codecs = {};    // besides those of codecs(); each must outlive the pool
  std::function<std::uint64_t()> clock_s = {};  // seconds since 1970, for creation times; unset: the system's clock
  std::function<std::uint64_t()> guid = {};     // of new pools, datasets and snapshots; unset: random
};

// What a pool is from its creation on.
struct PoolGeometryOptions {
  std::uint64_t size = 0;                 // bytes, at least 8 MiB; rounded down to 256 KiB
  unsigned ashift = 12;                   // sectors of 2^ashift bytes, 9 to 16
  std::vector<Property> properties = {};  // of the root filesystem
};

enum class DatasetType : std::uint8_t { filesystem, volume, snapshot };
std::string_view to_string(DatasetType type);  // "filesystem"

// The value of one property of one dataset.
struct PropertyValue {
  std::string name;    // "compression"
  std::string value;   // exact: sizes in bytes "131072", ratios "1.45", times in seconds; "none" for no quota
  std::string pretty;  // as zfs(8) prints it: "128K", "1.45x"
  std::string source;  // "local", "default", "inherited from <dataset>", "-" for what cannot be set
};

// How a property behaves; the list is pool_properties().
struct PropertyInfo {
  std::string_view name;
  std::string_view column;            // heading in a list: "RECSIZE"
  std::string_view values;            // for help: "on | off | lz4 | …"
  bool settable;                      // by set; false: read only
  bool at_creation_only;              // volblocksize
  bool inherited;                     // by children
  bool filesystem, volume, snapshot;  // where it exists
  bool number;                        // aligned to the right in a list
};
// In the order of `get all`.
std::vector<PropertyInfo> pool_properties();

struct DatasetInfo {
  std::string name;  // path below the pool, "" for the root; of a snapshot with "@"
  DatasetType type = DatasetType::filesystem;
};

// Space of a whole pool, in bytes.
struct PoolUsage {
  std::uint64_t size = 0;       // that blocks can be placed in
  std::uint64_t allocated = 0;  // data, metadata of the datasets, metadata of the pool
  std::uint64_t free = 0;
  std::uint64_t slop = 0;           // of free: kept for metadata, so that a full pool can still release something
  std::uint64_t data = 0;           // of allocated: records
  std::uint64_t metadata = 0;       // of allocated: trees of the datasets, both copies
  std::uint64_t pool_metadata = 0;  // of allocated: the pool's own tree, both copies
  std::uint64_t logical = 0;        // records before compression
  std::uint64_t healed = 0;         // damaged copies that were found and written anew since the pool was opened
};

struct ObjectInfo {
  std::string name;
  std::uint64_t size = 0;          // bytes
  std::uint32_t record_bytes = 0;  // of each of its records
};

// Space of one object, in bytes, as of the last transaction group.
struct ObjectUsage {
  std::uint64_t records = 0;     // that are not holes
  std::uint64_t logical = 0;     // their lsize
  std::uint64_t compressed = 0;  // their psize
  std::uint64_t allocated = 0;   // their asize
};

// One damaged or doubtful place that check() or scrub() found.
struct PoolProblem {
  std::string where;  // "db@monday: object wal, record 17", "bitmap of region 3"
  std::string what;
};

struct CheckReport {
  std::uint64_t blocks = 0;     // different ones, each counted once
  std::uint64_t allocated = 0;  // bytes that they take
  std::uint64_t bytes_read = 0;
  std::uint64_t healed = 0;           // copies written anew during this call
  std::vector<PoolProblem> problems;  // at most 1000
};

// An object of a filesystem, or a volume, or either in a snapshot (read only). Bytes at offsets, like any BlockFile;
// resize() cuts off or extends an object, a volume has its fixed size. When the pool is closed or gone, calls answer
// with usage. Errors: usage, a volume's end or read only; no_space.
class PoolObject : public BlockFile {
 public:
  // The range reads as zeros afterwards; whole records of it take no space.
  virtual Status trim(std::uint64_t offset, std::uint64_t length) = 0;
  // Of each record, in bytes; a record is what is written wholly or not at all.
  [[nodiscard]] virtual std::uint32_t record_bytes() const = 0;
  [[nodiscard]] virtual Result<ObjectUsage> usage() = 0;
};

class Pool {
 public:
  // Makes an empty pool in the file, which must be empty, all of it zeros, or not there; force: whatever is in it goes.
  // Errors: usage: size, ashift or a property out of range, or something is in the file; io; no_space.
  static Result<std::unique_ptr<Pool>> create(const std::string& path, const PoolGeometryOptions& geometry,
                                              const PoolOptions& options = {}, bool force = false);
  // The same in a file of the caller's.
  static Result<std::unique_ptr<Pool>> create(std::unique_ptr<BlockFile> file, const PoolGeometryOptions& geometry,
                                              const PoolOptions& options = {}, bool force = false);
  // Opens a pool and takes back what was flushed after the last transaction group. The file is locked: for this process
  // alone, or shared with other readers when read_only. Errors: io, "in use by another process" too; corrupt: no pool,
  // or damaged beyond its second copies; usage: a feature that this build does not know.
  static Result<std::unique_ptr<Pool>> open(const std::string& path, const PoolOptions& options = {});
  static Result<std::unique_ptr<Pool>> open(std::unique_ptr<BlockFile> file, const PoolOptions& options = {});
  // Writes what is not yet written, unless an error stopped the pool; call close() to know whether that went well.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // flush() and no further use.
  Status close();
  // All earlier writes survive a power cut. Errors: no_space: some records found no place; they stay in memory, all
  // others are safe.
  Status flush();

  // New datasets. The parent must exist. Errors: usage: name taken or not allowed, no such parent, a property out of
  // range; no_space.
  Status create_filesystem(const std::string& path, const std::vector<Property>& properties = {});
  // size: bytes, a multiple of volblocksize. Nothing is reserved: volumes may promise more than the pool has.
  Status create_volume(const std::string& path, std::uint64_t size, const std::vector<Property>& properties = {});
  // A dataset or a snapshot. recursive: with all that is below it, and its snapshots. Errors: usage: there is something
  // below it, or a clone depends on it.
  Status destroy(const std::string& name, bool recursive = false);
  // name: "db@monday". recursive: of all descendants too, all at one moment.
  Status snapshot(const std::string& name, bool recursive = false);
  // Back to its snapshot; destroy_later: later snapshots in between are destroyed, otherwise there may be none.
  Status rollback(const std::string& snapshot, bool destroy_later = false);
  // A new dataset with the contents of a snapshot; nothing is copied.
  Status clone(const std::string& snapshot, const std::string& path, const std::vector<Property>& properties = {});
  // A dataset with all below it, or a snapshot within its dataset.
  Status rename(const std::string& from, const std::string& to);

  // Affects later writes only. Errors: usage: unknown, read only or out of range.
  Status set(const std::string& dataset, const Property& property);
  // Back to what the parent says. recursive: of all descendants too.
  Status inherit(const std::string& dataset, const std::string& property, bool recursive = false);
  [[nodiscard]] Result<PropertyValue> get(const std::string& name, const std::string& property);
  // All that exist for it, in the order of pool_properties(), user properties ("a:b") last.
  [[nodiscard]] Result<std::vector<PropertyValue>> get_all(const std::string& name);

  // name and all below it, parents first, then by name; snapshots behind their dataset, oldest first. Errors: usage: no
  // such dataset.
  [[nodiscard]] Result<std::vector<DatasetInfo>> list(const std::string& name = {});
  [[nodiscard]] Result<std::vector<ObjectInfo>> objects(const std::string& filesystem);

  // The object stays open as long as the pointer lives. dataset may be a snapshot. Errors: usage: no such object (or
  // name not allowed: 1 to 255 bytes, no NUL), not a filesystem.
  Result<std::shared_ptr<PoolObject>> open_object(const std::string& filesystem, const std::string& object);
  Result<std::shared_ptr<PoolObject>> create_object(const std::string& filesystem, const std::string& object);
  Status remove_object(const std::string& filesystem, const std::string& object);
  Status rename_object(const std::string& filesystem, const std::string& from, const std::string& to);
  Result<std::shared_ptr<PoolObject>> open_volume(const std::string& volume);

  [[nodiscard]] Result<PoolUsage> usage();
  [[nodiscard]] unsigned ashift() const;
  [[nodiscard]] std::uint64_t guid() const;

  // Walks all trees: the sum of the blocks equals the space maps, no sector leaks or is in use twice, the accounts of
  // all datasets add up. Problems are in the report, not errors.
  Result<CheckReport> check();
  // Also reads every copy of every block and heals those that are damaged.
  Result<CheckReport> scrub();

 private:
  struct State;
  explicit Pool(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace blkpress
