// BlockStore: blocks in a file, and transaction groups of them.
//
// Blocks are written to free sectors only; commit() makes all that was written and released since the last commit valid
// at once. Whatever happens before it returns, the file holds the last committed group or this one. Between commits the
// intent log keeps what has to last. Threads: one at a time, but for try_read().
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "blkpress/block_file.hpp"
#include "blkpress/codec.hpp"
#include "pool/intent_log.hpp"
#include "pool/run_writer.hpp"
#include "pool/space_map.hpp"
#include "pool/superblock.hpp"

namespace blkpress {

struct BlockStoreOptions {
  PoolGeometry geometry;
  std::uint64_t guid = 0;
  std::uint64_t creation_s = 0;
};

class BlockStore {
 public:
  // Makes an empty store of the file, whatever was in it. Errors: usage, as PoolGeometry::check(); io; no_space.
  static Result<std::unique_ptr<BlockStore>> create(std::unique_ptr<BlockFile> file, const BlockStoreOptions& options);
  // The last committed group. Errors: corrupt: not a pool, or damaged beyond its second copies; usage: a feature or
  // version that this build does not know; io.
  // read_only: nothing is written to the file, not even to heal it.
  static Result<std::unique_ptr<BlockStore>> open(std::unique_ptr<BlockFile> file, bool read_only = false);
  ~BlockStore();

  // Whether data may take the last slop_sectors(); metadata may.
  enum class Reserve : std::uint8_t { respect, use };
  // Writes the bytes of a block, of which psize are summed up, with as many copies (1 or 2). shape gives kind, codec,
  // level and lsize; checksum is that of stored, when the caller has it. Where there is no free run so long, the block
  // is split. Blocks that follow each other in the file are written together, in the background, at the latest by
  // commit(), which says then what went wrong. owner keeps stored as it is until then; null: it is copied. Errors:
  // no_space: nothing has changed; io, also of an earlier block.
  Result<BlockPointer> write(const BlockPointer& shape, ByteView stored, unsigned copies,
                             const std::optional<BlockChecksum>& checksum = {}, Reserve reserve = Reserve::respect,
                             const std::shared_ptr<const void>& owner = {});
  // The stored bytes. A damaged copy is written anew from the other one. Errors: corrupt: no copy is whole, or the
  // pointer points outside; io.
  Result<std::vector<std::byte>> read(const BlockPointer& pointer);
  // The stored bytes as the first copy has them, psize of them. False: they cannot be read, or do not match; what is in
  // stored then is anything. Heals nothing. May be called while anything else goes on in other threads.
  [[nodiscard]] bool try_read(const BlockPointer& pointer, ByteSpan stored) const;
  // Reads all copies and writes the damaged ones anew: how many. Errors: corrupt: no copy is whole; io.
  Result<unsigned> verify(const BlockPointer& pointer);
  // A block of metadata: twice, and compressed with lz4 when that saves a sector.
  Result<BlockPointer> write_metadata(ByteView bytes);
  Result<std::vector<std::byte>> read_metadata(const BlockPointer& pointer);
  // The block is not needed by the group to come. When it was born in that group, its sectors are free at once.
  void release(const BlockPointer& pointer);

  // When it returns, the group is on stable storage, with root to find it by, and the intent log is empty. After an
  // error in writing the store takes no more writes: what is on the file is known again when it is opened anew.
  Status commit(const BlockPointer& root);

  // The intent log: what is to be done again when the pool is opened before the next commit. When it returns true, the
  // entry is on stable storage; false: it does not fit, nothing was written. Errors: io.
  Result<bool> log_append(ByteView payload);
  // The entries of the committed group, in order. Errors: corrupt: an entry is damaged in both places; those of visit.
  Status log_replay(const std::function<Status(ByteView payload)>& visit) {
    return log_.replay(superblock_, read_only_, visit);
  }

  [[nodiscard]] const Superblock& superblock() const { return superblock_; }
  // The group that is being written.
  [[nodiscard]] std::uint64_t txg() const { return superblock_.txg + 1; }
  [[nodiscard]] std::uint64_t free_sectors() const { return space_->free_sectors(); }
  [[nodiscard]] std::uint64_t total_sectors() const { return space_->total_sectors(); }
  // Free sectors that data may not take, so that there is room to release something: 1/32, 1 MiB to 128 GiB.
  [[nodiscard]] std::uint64_t slop_sectors() const;
  // Damaged copies that were found and written anew.
  [[nodiscard]] std::uint64_t healed() const { return healed_ + space_->healed() + log_.healed(); }
  [[nodiscard]] SpaceMap& space() { return *space_; }

 private:
  BlockStore(std::unique_ptr<BlockFile> file, const Superblock& superblock, bool read_only);
  Status commit_steps(const BlockPointer& root);
  Status writable() const;
  Status stop(Error error);
  // Appends the extents of one copy. False: no space; what there was is given back by the caller.
  Result<bool> allocate_copy(BlockPointer& pointer, std::size_t& extents);
  void take_back(const BlockPointer& pointer);
  // Reads a copy into bytes, psize of them: whether it is whole.
  Result<bool> read_copy(const BlockPointer& pointer, unsigned copy, ByteSpan bytes) const;
  Status heal_copy(const BlockPointer& pointer, unsigned copy, ByteView bytes);
  [[nodiscard]] Status check_place(const BlockPointer& pointer) const;

  std::unique_ptr<BlockFile> file_;
  Superblock superblock_;
  std::unique_ptr<SpaceMap> space_;
  IntentLog log_;
  std::unique_ptr<CodecContext> lz4_;
  RunWriter runs_;
  std::uint64_t healed_ = 0;
  bool read_only_;
  bool stopped_ = false;
};

// Marks the blocks of a committed store one by one and compares with its bitmaps. Memory: a bit for each sector.
class SpaceCheck {
 public:
  explicit SpaceCheck(BlockStore& store);
  // Errors: check_failed: outside, or in use twice.
  Status add(const BlockPointer& pointer);
  // Errors: check_failed: a sector is in use that no block was added for, or the other way round; corrupt; io.
  Status finish();

 private:
  BlockStore& store_;
  std::vector<std::vector<std::uint64_t>> found_;
};

}  // namespace blkpress
