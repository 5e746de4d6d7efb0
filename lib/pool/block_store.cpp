#include "pool/block_store.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace blkpress {
namespace {

constexpr std::uint8_t kLz4 = 1;  // docs/format.md, the table of codecs

}  // namespace

BlockStore::BlockStore(std::unique_ptr<BlockFile> file, const Superblock& superblock)
    : file_(std::move(file)),
      superblock_(superblock),
      space_(std::make_unique<SpaceMap>(*file_, superblock.geometry)),
      lz4_(compression_named("lz4").make_context()) {}

BlockStore::~BlockStore() = default;

Result<std::unique_ptr<BlockStore>> BlockStore::create(std::unique_ptr<BlockFile> file,
                                                       const BlockStoreOptions& options) {
  BLKPRESS_TRY(options.geometry.check());
  BLKPRESS_TRY(file->resize(options.geometry.size));
  // A pool that was here before must not be found again.
  BLKPRESS_TRY(clear_superblocks(*file, options.geometry.size));
  BLKPRESS_TRY(file->flush());
  Superblock superblock;
  superblock.geometry = options.geometry;
  superblock.guid = options.guid;
  superblock.creation_s = options.creation_s;
  superblock.table_side = 1;
  std::unique_ptr<BlockStore> store(new BlockStore(std::move(file), superblock));
  BLKPRESS_TRY(store->commit({}));
  return store;
}

Result<std::unique_ptr<BlockStore>> BlockStore::open(std::unique_ptr<BlockFile> file) {
  Result<FoundSuperblock> found = find_superblock(*file);
  if (!found) return found.error();
  const Superblock& superblock = found->superblock;
  std::unique_ptr<BlockStore> store(new BlockStore(std::move(file), superblock));
  // The next group would leave this slot alone for 63 groups: it is healed now.
  if (!found->both_ends && write_superblock(*store->file_, superblock) && store->file_->flush()) ++store->healed_;
  BLKPRESS_TRY(store->space_->load_table(superblock.table_side, superblock.table_checksum));
  return store;
}

Status BlockStore::writable() const {
  if (stopped_) return Error{ErrorKind::io, "pool takes no more writes after an I/O error; open it anew"};
  if (!superblock_.read_only_compatible.empty()) {
    return Error{ErrorKind::usage, fmt::format("pool uses the feature {}, which this build does not know: read only",
                                               superblock_.read_only_compatible.front())};
  }
  return ok();
}

Status BlockStore::stop(Error error) {
  stopped_ = true;
  return error;
}

std::uint64_t BlockStore::slop_sectors() const {
  const std::uint64_t least = std::max(total_sectors() / 32, 256 * kKiB >> superblock_.geometry.ashift);
  return std::max<std::uint64_t>(least, 2);
}

Result<BlockPointer> BlockStore::write(const BlockPointer& shape, ByteView stored, unsigned copies) {
  BLKPRESS_TRY(writable());
  BLKPRESS_ASSERT(!stored.empty() && stored.size() <= shape.lsize && copies >= 1 && copies <= 2);
  const std::uint64_t sector = superblock_.geometry.sector_bytes();
  BlockPointer pointer = shape;
  pointer.psize = static_cast<std::uint32_t>(stored.size());
  pointer.sectors = static_cast<std::uint32_t>(round_up(stored.size(), sector) / sector);
  pointer.birth = txg();
  pointer.checksum = block_checksum(stored);
  const std::uint64_t needed = std::uint64_t{pointer.sectors} * copies;
  const std::uint64_t kept = shape.kind == BlockKind::data ? slop_sectors() : 0;
  if (free_sectors() < needed + kept) return Error{ErrorKind::no_space, "pool is full"};
  for (unsigned copy = 0; copy < copies; ++copy) {
    auto address = space_->allocate(pointer.sectors, pointer.addresses[0]);
    if (!address) return stop(address.error()).error();
    if (!*address) {
      if (copy > 0) space_->take_back(pointer.addresses[0], pointer.sectors);
      return Error{ErrorKind::no_space, fmt::format("pool has no free run of {} sectors", pointer.sectors)};
    }
    pointer.addresses[copy] = **address;
  }
  // Whole sectors go to the file, so that their ends do not have to be read first.
  scratch_.assign(pointer.sectors * sector, std::byte{0});
  std::copy(stored.begin(), stored.end(), scratch_.begin());
  for (unsigned copy = 0; copy < copies; ++copy) {
    if (Status done = file_->write(pointer.addresses[copy] * sector, scratch_); !done) {
      return stop(done.error()).error();
    }
  }
  return pointer;
}

Result<std::vector<std::byte>> BlockStore::read(const BlockPointer& pointer) {
  BLKPRESS_ASSERT(pointer.kind == BlockKind::data || pointer.kind == BlockKind::metadata);
  const std::uint64_t sector = superblock_.geometry.sector_bytes();
  if (round_up(pointer.psize, sector) != pointer.sectors * sector) {
    return Error{ErrorKind::corrupt, "block pointer: sizes contradict each other"};
  }
  std::vector<std::byte> stored(pointer.psize);
  std::optional<Error> unread;
  std::uint64_t damaged = 0;  // address of a copy that is
  for (const std::uint64_t address : pointer.addresses) {
    if (address == 0) continue;
    if (!space_->region_of(address, pointer.sectors)) {
      return Error{ErrorKind::corrupt, fmt::format("block pointer: sector {} is outside the pool", address)};
    }
    Result<std::size_t> got = file_->read(address * sector, stored);
    if (!got) unread = got.error();
    if (got && *got == stored.size() && block_checksum(stored) == pointer.checksum) {
      if (damaged != 0 && !stopped_) {
        std::vector<std::byte> whole(pointer.sectors * sector);
        std::copy(stored.begin(), stored.end(), whole.begin());
        if (file_->write(damaged * sector, whole)) ++healed_;
      }
      return stored;
    }
    damaged = address;
  }
  if (unread) return *unread;
  return Error{ErrorKind::corrupt, fmt::format("block at sector {} does not match its checksum", pointer.addresses[0])};
}

Result<BlockPointer> BlockStore::write_metadata(ByteView bytes) {
  const std::uint64_t sector = superblock_.geometry.sector_bytes();
  BlockPointer shape;
  shape.kind = BlockKind::metadata;
  shape.lsize = static_cast<std::uint32_t>(bytes.size());
  if (bytes.size() > sector) {
    std::vector<std::byte> packed(round_up(bytes.size(), sector) - sector);
    if (const auto length = lz4_->compress(bytes, packed)) {
      shape.codec = kLz4;
      return write(shape, ByteView(packed).first(*length), 2);
    }
  }
  return write(shape, bytes, 2);
}

Result<std::vector<std::byte>> BlockStore::read_metadata(const BlockPointer& pointer) {
  if (pointer.kind != BlockKind::metadata || pointer.codec > kLz4) {
    return Error{ErrorKind::corrupt, "block pointer: metadata was expected"};
  }
  Result<std::vector<std::byte>> stored = read(pointer);
  if (!stored) return stored.error();
  if (pointer.codec == 0) {
    if (pointer.psize != pointer.lsize) return Error{ErrorKind::corrupt, "block pointer: sizes contradict each other"};
    return stored;
  }
  std::vector<std::byte> bytes(pointer.lsize);
  BLKPRESS_TRY(lz4_->decompress(*stored, bytes));
  return bytes;
}

void BlockStore::release(const BlockPointer& pointer) {
  if (pointer.kind != BlockKind::data && pointer.kind != BlockKind::metadata) return;
  for (const std::uint64_t address : pointer.addresses) {
    if (address == 0) continue;
    // A pointer that leads outside comes from a damaged file: nothing more is written to it.
    if (!space_->region_of(address, pointer.sectors)) {
      stopped_ = true;
      return;
    }
    space_->release(address, pointer.sectors);
  }
}

Status BlockStore::commit_steps(const BlockPointer& root, const BlockPointer& log) {
  Superblock next = superblock_;
  next.txg = txg();
  next.root = root;
  next.log = log;
  next.table_side = 1 - superblock_.table_side;
  Result<BlockChecksum> table = space_->write(next.table_side);
  if (!table) return table.error();
  next.table_checksum = *table;
  // All that the superblock leads to must be there before it is.
  BLKPRESS_TRY(file_->flush());
  next.allocated_sectors = total_sectors() - space_->free_in_bitmaps();
  BLKPRESS_TRY(write_superblock(*file_, next));
  BLKPRESS_TRY(file_->flush());
  space_->committed();
  superblock_ = std::move(next);
  return ok();
}

Status BlockStore::commit(const BlockPointer& root, const BlockPointer& log) {
  BLKPRESS_TRY(writable());
  Status done = commit_steps(root, log);
  return done ? done : stop(done.error());
}

SpaceCheck::SpaceCheck(BlockStore& store) : store_(store) {
  const PoolGeometry& geometry = store.superblock().geometry;
  found_.assign(geometry.regions(), std::vector<std::uint64_t>(geometry.bitmap_bytes() / 8));
  for (auto& bits : found_) {
    for (std::uint32_t i = 0; i < geometry.bitmap_sectors(); ++i) bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

Status SpaceCheck::add(const BlockPointer& pointer) {
  if (pointer.kind != BlockKind::data && pointer.kind != BlockKind::metadata) return ok();
  for (const std::uint64_t address : pointer.addresses) {
    if (address == 0) continue;
    const auto region = store_.space().region_of(address, pointer.sectors);
    if (!region) return Error{ErrorKind::check_failed, fmt::format("block at sector {} is outside the pool", address)};
    const std::uint64_t begin = address - store_.space().first_sector(*region);
    for (std::uint64_t at = begin; at < begin + pointer.sectors; ++at) {
      std::uint64_t& word = found_[*region][at / 64];
      const std::uint64_t bit = std::uint64_t{1} << (at % 64);
      if ((word & bit) != 0) {
        return Error{ErrorKind::check_failed, fmt::format("sector {} is in use twice", address + at - begin)};
      }
      word |= bit;
    }
  }
  return ok();
}

Status SpaceCheck::finish() {
  for (std::uint32_t region = 0; region < found_.size(); ++region) {
    Result<std::vector<std::uint64_t>> bits = store_.space().bitmap(region);
    if (!bits) return bits.error();
    for (std::size_t i = 0; i < bits->size(); ++i) {
      if ((*bits)[i] == found_[region][i]) continue;
      const std::uint64_t sector = store_.space().first_sector(region) + 64 * i;
      return Error{ErrorKind::check_failed,
                   fmt::format("sectors {} to {}: the bitmap says {:016x}, the blocks say {:016x}", sector, sector + 63,
                               (*bits)[i], found_[region][i])};
    }
  }
  return ok();
}

}  // namespace blkpress
