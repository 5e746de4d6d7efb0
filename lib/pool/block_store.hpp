// BlockStore: blocks in a file, and transaction groups of them.
//
// Blocks are written to free sectors only; commit() makes all that was written and released since the last commit valid
// at once. Whatever happens before it returns, the file holds the last committed group or this one. Threads: one at a
// time.
#pragma once

#include <memory>

#include "blkpress/block_file.hpp"
#include "blkpress/codec.hpp"
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
  static Result<std::unique_ptr<BlockStore>> open(std::unique_ptr<BlockFile> file);
  ~BlockStore();

  // Writes the bytes of a block, of which psize are summed up, with as many copies (1 or 2). shape gives kind, codec,
  // level and lsize. Errors: no_space: nothing has changed; data leaves slop_sectors() alone; io.
  Result<BlockPointer> write(const BlockPointer& shape, ByteView stored, unsigned copies);
  // The stored bytes. A damaged copy is written anew from the other one. Errors: corrupt: no copy is whole, or the
  // pointer points outside; io.
  Result<std::vector<std::byte>> read(const BlockPointer& pointer);
  // A block of metadata: twice, and compressed with lz4 when that saves a sector.
  Result<BlockPointer> write_metadata(ByteView bytes);
  Result<std::vector<std::byte>> read_metadata(const BlockPointer& pointer);
  // The block is not needed by the group to come.
  void release(const BlockPointer& pointer);

  // When it returns, the group is on stable storage, with root and log to find it by. After an error in writing the
  // store takes no more writes: what is on the file is known again when it is opened anew.
  Status commit(const BlockPointer& root, const BlockPointer& log = {});

  [[nodiscard]] const Superblock& superblock() const { return superblock_; }
  // The group that is being written.
  [[nodiscard]] std::uint64_t txg() const { return superblock_.txg + 1; }
  [[nodiscard]] std::uint64_t free_sectors() const { return space_->free_sectors(); }
  [[nodiscard]] std::uint64_t total_sectors() const { return space_->total_sectors(); }
  // Free sectors that data may not take, so that there is room to release something: 1/32, at least 256 KiB.
  [[nodiscard]] std::uint64_t slop_sectors() const;
  // Damaged copies that were found and written anew.
  [[nodiscard]] std::uint64_t healed() const { return healed_ + space_->healed(); }
  [[nodiscard]] SpaceMap& space() { return *space_; }

 private:
  BlockStore(std::unique_ptr<BlockFile> file, const Superblock& superblock);
  Status commit_steps(const BlockPointer& root, const BlockPointer& log);
  Status writable() const;
  Status stop(Error error);

  std::unique_ptr<BlockFile> file_;
  Superblock superblock_;
  std::unique_ptr<SpaceMap> space_;
  std::unique_ptr<CodecContext> lz4_;
  std::vector<std::byte> scratch_;
  std::uint64_t healed_ = 0;
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
