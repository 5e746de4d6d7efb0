#include "pool/block_store.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace blkpress {
namespace {

constexpr std::uint8_t kLz4 = 1;  // docs/format.md, the table of codecs

}  // namespace

BlockStore::BlockStore(std::unique_ptr<BlockFile> file, const Superblock& superblock, bool read_only)
    : file_(std::move(file)),
      superblock_(superblock),
      space_(std::make_unique<SpaceMap>(*file_, superblock.geometry, read_only)),
      log_(*file_),
      lz4_(compression_named("lz4").make_context()),
      runs_(*file_, superblock.geometry.sector_bytes()),
      read_only_(read_only) {}

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
  std::unique_ptr<BlockStore> store(new BlockStore(std::move(file), superblock, false));
  BLKPRESS_TRY(store->commit({}));
  return store;
}

Result<std::unique_ptr<BlockStore>> BlockStore::open(std::unique_ptr<BlockFile> file, bool read_only) {
  Result<FoundSuperblock> found = find_superblock(*file);
  if (!found) return found.error();
  const Superblock& superblock = found->superblock;
  std::unique_ptr<BlockStore> store(new BlockStore(std::move(file), superblock, read_only));
  // The next group would leave this slot alone for 63 groups: it is healed now.
  const bool heal = !found->both_ends && store->writable();
  if (heal && write_superblock(*store->file_, superblock) && store->file_->flush()) ++store->healed_;
  BLKPRESS_TRY(store->space_->load_table(superblock.table_side, superblock.table_checksum));
  return store;
}

Status BlockStore::writable() const {
  if (read_only_) return Error{ErrorKind::usage, "pool is open read only"};
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
  const std::uint64_t share =
      std::clamp(total_sectors() / 32, kMiB >> superblock_.geometry.ashift, 128 * kGiB >> superblock_.geometry.ashift);
  return std::max<std::uint64_t>(share, 2);
}

// The largest pieces first, each half as long as the one that was not to be had.
Result<bool> BlockStore::allocate_copy(BlockPointer& pointer, std::size_t& extents) {
  const std::uint64_t apart = pointer.extents[0].address;
  std::uint32_t piece = pointer.sectors;
  for (std::uint32_t left = pointer.sectors; left > 0;) {
    piece = std::min(piece, left);
    auto address = space_->allocate(piece, apart);
    if (!address) return address.error();
    if (!*address) {
      if (piece == 1) return false;
      piece = (piece + 1) / 2;
      continue;
    }
    if (extents == BlockPointer::kExtentsMax) {
      space_->take_back(**address, piece);
      return false;
    }
    pointer.extents[extents++] = {**address, piece};
    left -= piece;
  }
  return true;
}

void BlockStore::take_back(const BlockPointer& pointer) {
  for (const Extent& extent : pointer.extents) {
    if (extent.sectors != 0) space_->take_back(extent.address, extent.sectors);
  }
}

Result<BlockPointer> BlockStore::write(const BlockPointer& shape, ByteView stored, unsigned copies,
                                       const std::optional<BlockChecksum>& checksum, Reserve reserve,
                                       const std::shared_ptr<const void>& owner) {
  BLKPRESS_TRY(writable());
  BLKPRESS_ASSERT(!stored.empty() && stored.size() <= shape.lsize && copies >= 1 && copies <= 2);
  const std::uint64_t sector = superblock_.geometry.sector_bytes();
  BlockPointer pointer = shape;
  pointer.psize = static_cast<std::uint32_t>(stored.size());
  pointer.sectors = static_cast<std::uint32_t>(round_up(stored.size(), sector) / sector);
  pointer.birth = txg();
  pointer.checksum = checksum ? *checksum : block_checksum(stored);
  const std::uint64_t needed = std::uint64_t{pointer.sectors} * copies;
  const std::uint64_t kept = shape.kind == BlockKind::data && reserve == Reserve::respect ? slop_sectors() : 0;
  if (free_sectors() < needed + kept) return Error{ErrorKind::no_space, "pool is full"};
  std::size_t extents = 0;
  for (unsigned copy = 0; copy < copies; ++copy) {
    const Result<bool> allocated = allocate_copy(pointer, extents);
    if (!allocated) return stop(allocated.error()).error();
    if (*allocated) continue;
    take_back(pointer);
    return Error{ErrorKind::no_space,
                 fmt::format("free space is in pieces too small for a block of {} sectors", pointer.sectors)};
  }
  for (unsigned copy = 0; copy < copies; ++copy) {
    ByteView rest = stored;
    for (const Extent& extent : pointer.copy(copy)) {
      const ByteView part = rest.first(std::min<std::uint64_t>(rest.size(), extent.sectors * sector));
      if (Status done = runs_.append(extent.address, part, owner); !done) return stop(done.error()).error();
      rest = rest.subspan(part.size());
    }
  }
  return pointer;
}

Status BlockStore::check_place(const BlockPointer& pointer) const {
  const std::uint64_t sector = superblock_.geometry.sector_bytes();
  if (round_up(pointer.psize, sector) != pointer.sectors * sector) {
    return Error{ErrorKind::corrupt, "block pointer: sizes contradict each other"};
  }
  for (const Extent& extent : pointer.extents) {
    if (extent.sectors != 0 && !space_->region_of(extent.address, extent.sectors)) {
      return Error{ErrorKind::corrupt, fmt::format("block pointer: sector {} is outside the pool", extent.address)};
    }
  }
  return ok();
}

Result<bool> BlockStore::read_copy(const BlockPointer& pointer, unsigned copy, ByteSpan bytes) const {
  const std::uint64_t sector = superblock_.geometry.sector_bytes();
  ByteSpan rest = bytes;
  for (const Extent& extent : pointer.copy(copy)) {
    const ByteSpan part = rest.first(std::min<std::uint64_t>(rest.size(), extent.sectors * sector));
    Result<std::size_t> got = file_->read(extent.address * sector, part);
    if (!got) return got.error();
    if (*got != part.size()) return false;
    rest = rest.subspan(part.size());
  }
  return block_checksum(bytes) == pointer.checksum;
}

Status BlockStore::heal_copy(const BlockPointer& pointer, unsigned copy, ByteView bytes) {
  const std::uint64_t sector = superblock_.geometry.sector_bytes();
  std::vector<std::byte> whole(pointer.sectors * sector);
  std::copy(bytes.begin(), bytes.end(), whole.begin());
  ByteView rest = whole;
  for (const Extent& extent : pointer.copy(copy)) {
    BLKPRESS_TRY(file_->write(extent.address * sector, rest.first(extent.sectors * sector)));
    rest = rest.subspan(extent.sectors * sector);
  }
  ++healed_;
  return ok();
}

Result<std::vector<std::byte>> BlockStore::read(const BlockPointer& pointer) {
  BLKPRESS_ASSERT(pointer.is_allocated());
  BLKPRESS_TRY(check_place(pointer));
  if (Status done = runs_.wait(); !done) return stop(done.error()).error();
  std::vector<std::byte> stored(pointer.psize);
  std::optional<Error> unread;
  bool damaged = false;
  for (unsigned copy = 0; copy < pointer.copies(); ++copy) {
    const Result<bool> whole = read_copy(pointer, copy, stored);
    if (!whole) unread = whole.error();
    if (whole && *whole) {
      // A copy that cannot be written stays as it is; this one is there.
      if (damaged && writable() && !heal_copy(pointer, 0, stored)) return stored;
      return stored;
    }
    damaged = damaged || whole;
  }
  if (damaged || !unread) {
    return Error{ErrorKind::corrupt,
                 fmt::format("block at sector {} does not match its checksum", pointer.extents[0].address)};
  }
  return *unread;
}

bool BlockStore::try_read(const BlockPointer& pointer, ByteSpan stored) const {
  BLKPRESS_ASSERT(stored.size() == pointer.psize);
  if (!pointer.is_allocated() || !check_place(pointer)) return false;
  const Result<bool> whole = read_copy(pointer, 0, stored);
  return whole && *whole;
}

Result<unsigned> BlockStore::verify(const BlockPointer& pointer) {
  const Result<std::vector<std::byte>> good = read(pointer);
  if (!good) return good.error();
  unsigned healed = 0;
  std::vector<std::byte> bytes(pointer.psize);
  for (unsigned copy = 0; copy < pointer.copies(); ++copy) {
    const Result<bool> whole = read_copy(pointer, copy, bytes);
    if (whole && *whole) continue;
    BLKPRESS_TRY(writable());
    BLKPRESS_TRY(heal_copy(pointer, copy, *good));
    ++healed;
  }
  return healed;
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
  if (!pointer.is_allocated()) return;
  // A pointer that leads outside comes from a damaged file: nothing more is written to it.
  if (!check_place(pointer)) {
    stopped_ = true;
    return;
  }
  for (const Extent& extent : pointer.extents) {
    if (extent.sectors == 0) continue;
    if (pointer.birth != txg()) {
      space_->release(extent.address, extent.sectors);
    } else if (space_->taken(extent.address, extent.sectors)) {
      space_->take_back(extent.address, extent.sectors);
    } else {
      stopped_ = true;  // a forged birth
    }
  }
}

Status BlockStore::commit_steps(const BlockPointer& root) {
  BLKPRESS_TRY(runs_.wait());
  Superblock next = superblock_;
  next.txg = txg();
  next.root = root;
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
  log_.start_anew();
  return ok();
}

Status BlockStore::commit(const BlockPointer& root) {
  BLKPRESS_TRY(writable());
  Status done = commit_steps(root);
  return done ? done : stop(done.error());
}

Result<bool> BlockStore::log_append(ByteView payload) {
  BLKPRESS_TRY(writable());
  // What goes on in the background would be flushed with it, and the order of the writes would be left to chance.
  if (Status done = runs_.settle(); !done) return stop(done.error()).error();
  const Result<bool> appended = log_.append(superblock_, payload);
  if (!appended) return stop(appended.error()).error();
  return appended;
}

SpaceCheck::SpaceCheck(BlockStore& store) : store_(store) {
  const PoolGeometry& geometry = store.superblock().geometry;
  found_.assign(geometry.regions(), std::vector<std::uint64_t>(geometry.bitmap_bytes() / 8));
  for (auto& bits : found_) {
    for (std::uint32_t i = 0; i < geometry.bitmap_sectors(); ++i) bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

Status SpaceCheck::add(const BlockPointer& pointer) {
  if (!pointer.is_allocated()) return ok();
  for (const auto& [address, sectors] : pointer.extents) {
    if (sectors == 0) continue;
    const auto region = store_.space().region_of(address, sectors);
    if (!region) return Error{ErrorKind::check_failed, fmt::format("block at sector {} is outside the pool", address)};
    const std::uint64_t begin = address - store_.space().first_sector(*region);
    for (std::uint64_t at = begin; at < begin + sectors; ++at) {
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
