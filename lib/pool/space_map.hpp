// SpaceMap: which sectors are in use, a bitmap for each region, and the allocator on top of them.
//
// Bitmaps are read when an allocation or a release first needs them, and written to places of their own, so that
// writing them allocates nothing. What a group releases can be allocated again only when that group is committed: until
// then the committed tree still needs it. Threads: one at a time.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "blkpress/block_file.hpp"
#include "pool/block_pointer.hpp"
#include "pool/pool_geometry.hpp"

namespace blkpress {

class SpaceMap {
 public:
  // Nothing is in use but the bitmaps' own places. file outlives the map.
  SpaceMap(BlockFile& file, const PoolGeometry& geometry, bool read_only = false);
  // Reads the committed table. Errors: corrupt: both copies are damaged, or do not fit the geometry; io.
  Status load_table(unsigned side, const BlockChecksum& checksum);

  // A run of sectors, and marks them in use: its address in sectors from the start of the file. nullopt: there is no
  // free run so long. The region behind that of `apart` is tried first, when there is one. Errors: corrupt; io.
  Result<std::optional<std::uint64_t>> allocate(std::uint32_t sectors, std::uint64_t apart = 0);
  // Gives it back when the group is committed.
  void release(std::uint64_t address, std::uint32_t sectors);
  // Whether an allocation of this group, all of it, can be there.
  [[nodiscard]] bool taken(std::uint64_t address, std::uint32_t sectors) const;
  // Takes back an allocation of this group at once; nothing was written there that anybody needs.
  void take_back(std::uint64_t address, std::uint32_t sectors);

  // Applies what was released and writes bitmaps and table to the places that the committed superblock does not use.
  // Returns the checksum of the table. Not flushed. An error leaves the map unusable.
  Result<BlockChecksum> write(unsigned side);
  // The committed superblock points to what write() wrote: what the group released can be allocated.
  void committed();

  [[nodiscard]] std::uint64_t free_sectors() const { return free_; }  // that can be allocated now
  // After write(): that the bitmaps say are free, those that the group released included.
  [[nodiscard]] std::uint64_t free_in_bitmaps() const;
  [[nodiscard]] std::uint64_t total_sectors() const { return total_; }  // without those of the bitmaps
  // Copies of bitmaps and tables that were damaged and written anew.
  [[nodiscard]] std::uint64_t healed() const { return healed_; }
  // The bitmap of a region, one bit a sector, the lowest bit of a word first. Errors: corrupt; io.
  Result<std::vector<std::uint64_t>> bitmap(std::uint32_t region);
  // Of an address: its region. nullopt: not within the regions, or the run leaves its region or covers bitmaps.
  [[nodiscard]] std::optional<std::uint32_t> region_of(std::uint64_t address, std::uint32_t sectors) const;
  [[nodiscard]] std::uint64_t first_sector(std::uint32_t region) const {
    return geometry_.region_offset(region) >> geometry_.ashift;
  }

 private:
  static constexpr std::uint8_t kNeverWritten = 2;
  struct Run {
    std::uint32_t begin = 0, sectors = 0;  // within the region
  };
  struct Region {
    std::uint8_t side = kNeverWritten;
    std::uint32_t free = 0;
    BlockChecksum checksum = {};
    bool dirty = false;
    std::uint32_t cursor = 0;
    std::uint32_t run_max = UINT32_MAX;  // no free run is longer
    std::vector<std::uint64_t> bits;     // empty: not read
    std::vector<Run> released;
  };

  Status load(std::uint32_t region);
  Status read_bitmap(std::uint32_t region, std::vector<std::uint64_t>& bits);
  Result<std::optional<std::uint64_t>> allocate_in(std::uint32_t region, std::uint32_t sectors);
  Status write_bitmap(std::uint32_t region);
  Run run_of(std::uint32_t region, std::uint64_t address, std::uint32_t sectors) const;
  // Reads one of two equal copies into bytes; writes the damaged one anew.
  // Unless the map is read only.
  Status read_twice(std::uint64_t first, std::uint64_t second, const BlockChecksum& checksum, ByteSpan bytes,
                    const char* what);
  [[nodiscard]] std::size_t table_bytes() const;

  BlockFile& file_;
  PoolGeometry geometry_;
  bool read_only_;
  std::vector<Region> regions_;
  std::uint32_t current_ = 0;  // where allocations go on
  std::uint64_t free_ = 0, total_ = 0, healed_ = 0;
};

}  // namespace blkpress
