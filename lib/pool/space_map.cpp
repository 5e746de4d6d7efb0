#include "pool/space_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace blkpress {
namespace {

// Bitmaps that stay in memory when nothing in them is to be written.
constexpr std::size_t kBitmapsKept = 64;

using Bits = std::vector<std::uint64_t>;

bool get(const Bits& bits, std::uint32_t at) { return (bits[at / 64] >> (at % 64) & 1) != 0; }

// Sets or clears a run; every bit of it must change.
void change(Bits& bits, std::uint32_t begin, std::uint32_t count, bool value) {
  for (std::uint32_t at = begin; count > 0;) {
    const std::uint32_t here = std::min(count, 64 - at % 64);
    const std::uint64_t mask = (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << (at % 64);
    BLKPRESS_ASSERT((bits[at / 64] & mask) == (value ? 0 : mask));
    bits[at / 64] ^= mask;
    at += here;
    count -= here;
  }
}

// The first run of count clear bits within [begin, end).
std::optional<std::uint32_t> find_run(const Bits& bits, std::uint32_t begin, std::uint32_t end, std::uint32_t count) {
  std::uint32_t run = 0;
  for (std::uint32_t at = begin; at < end;) {
    const std::uint64_t word = bits[at / 64] >> (at % 64);
    const std::uint32_t left = std::min(64 - at % 64, end - at);
    if ((word & 1) != 0) {
      run = 0;
      at += std::min<std::uint32_t>(static_cast<std::uint32_t>(std::countr_one(word)), left);
      continue;
    }
    const std::uint32_t clear = std::min<std::uint32_t>(static_cast<std::uint32_t>(std::countr_zero(word)), left);
    if (run + clear >= count) return at - run;
    run += clear;
    at += clear;
  }
  return std::nullopt;
}

}  // namespace

SpaceMap::SpaceMap(BlockFile& file, const PoolGeometry& geometry, bool read_only)
    : file_(file), geometry_(geometry), read_only_(read_only) {
  regions_.resize(geometry.regions());
  for (std::uint32_t i = 0; i < regions_.size(); ++i) {
    regions_[i].free = geometry.region_sectors(i) - geometry.bitmap_sectors();
    free_ += regions_[i].free;
  }
  total_ = free_;
}

std::size_t SpaceMap::table_bytes() const {
  return round_up(regions_.size() * PoolGeometry::kTableEntryBytes, kSlotBytes);
}

Status SpaceMap::read_twice(std::uint64_t first, std::uint64_t second, const BlockChecksum& checksum, ByteSpan bytes,
                            const char* what) {
  const auto good = [&](std::uint64_t at) -> Result<bool> {
    Result<std::size_t> got = file_.read(at, bytes);
    if (!got) return got.error();
    return *got == bytes.size() && block_checksum(bytes) == checksum;
  };
  Result<bool> one = good(first);
  if (one && *one) return ok();
  Result<bool> other = good(second);
  if (!other) return other.error();
  if (!*other) return Error{ErrorKind::corrupt, fmt::format("both copies of {} are damaged", what)};
  // A copy that cannot be written stays as it is; the other one is there.
  if (!read_only_ && file_.write(first, bytes)) ++healed_;
  return ok();
}

Status SpaceMap::load_table(unsigned side, const BlockChecksum& checksum) {
  std::vector<std::byte> table(table_bytes());
  BLKPRESS_TRY(read_twice(geometry_.table_offset(side, 0), geometry_.table_offset(side, 1), checksum, table,
                          "the region table"));
  free_ = 0;
  for (std::uint32_t i = 0; i < regions_.size(); ++i) {
    const std::byte* entry = table.data() + i * PoolGeometry::kTableEntryBytes;
    const auto region_side = load_le<std::uint32_t>(entry);
    const auto free = load_le<std::uint32_t>(entry + 4);
    if (region_side > kNeverWritten || free > geometry_.region_sectors(i) - geometry_.bitmap_sectors()) {
      return Error{ErrorKind::corrupt, fmt::format("region table: entry {} is out of range", i)};
    }
    regions_[i].side = static_cast<std::uint8_t>(region_side);
    regions_[i].free = free;
    std::copy_n(entry + 8, regions_[i].checksum.size(), regions_[i].checksum.begin());
    free_ += free;
  }
  return ok();
}

Status SpaceMap::read_bitmap(std::uint32_t region, Bits& bits) {
  const Region& of = regions_[region];
  const std::uint32_t sectors = geometry_.region_sectors(region);
  bits.assign(geometry_.bitmap_bytes() / 8, 0);
  if (of.side == kNeverWritten) {
    change(bits, 0, geometry_.bitmap_sectors(), true);
  } else {
    std::vector<std::byte> bytes(geometry_.bitmap_bytes());
    BLKPRESS_TRY(read_twice(geometry_.bitmap_offset(region, of.side, 0), geometry_.bitmap_offset(region, of.side, 1),
                            of.checksum, bytes, "a bitmap"));
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = load_le<std::uint64_t>(bytes.data() + 8 * i);
  }
  std::uint64_t used = 0;
  for (const std::uint64_t word : bits) used += static_cast<std::uint64_t>(std::popcount(word));
  if (used + of.free != sectors) {
    return Error{ErrorKind::corrupt, fmt::format("bitmap of region {} contradicts the region table", region)};
  }
  return ok();
}

Status SpaceMap::load(std::uint32_t region) {
  Region& of = regions_[region];
  if (!of.bits.empty()) return ok();
  Bits bits;
  BLKPRESS_TRY(read_bitmap(region, bits));
  of.bits = std::move(bits);
  return ok();
}

Result<Bits> SpaceMap::bitmap(std::uint32_t region) {
  if (!regions_[region].bits.empty()) return regions_[region].bits;
  Bits bits;
  BLKPRESS_TRY(read_bitmap(region, bits));
  return bits;
}

Result<std::optional<std::uint64_t>> SpaceMap::allocate(std::uint32_t sectors, std::uint64_t apart) {
  const auto count = static_cast<std::uint32_t>(regions_.size());
  std::uint32_t first = current_;
  if (apart != 0) first = (*region_of(apart, 1) + 1) % count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t region = (first + i) % count;
    if (regions_[region].free < sectors || regions_[region].run_max < sectors) continue;
    auto found = allocate_in(region, sectors);
    if (!found) return found.error();
    if (!*found) continue;
    if (apart == 0) current_ = region;
    return found;
  }
  return std::optional<std::uint64_t>();
}

Result<std::optional<std::uint64_t>> SpaceMap::allocate_in(std::uint32_t region, std::uint32_t sectors) {
  BLKPRESS_TRY(load(region));
  Region& of = regions_[region];
  const std::uint32_t end = geometry_.region_sectors(region);
  auto at = find_run(of.bits, of.cursor, end, sectors);
  if (!at) at = find_run(of.bits, 0, std::min(end, of.cursor + sectors), sectors);
  if (!at) {
    of.run_max = sectors - 1;
    return std::optional<std::uint64_t>();
  }
  change(of.bits, *at, sectors, true);
  of.cursor = *at + sectors;
  of.free -= sectors;
  of.dirty = true;
  free_ -= sectors;
  return std::optional(first_sector(region) + *at);
}

std::optional<std::uint32_t> SpaceMap::region_of(std::uint64_t address, std::uint32_t sectors) const {
  if (address < first_sector(0)) return std::nullopt;
  const std::uint64_t region = (address - first_sector(0)) / (geometry_.region_bytes >> geometry_.ashift);
  if (region >= regions_.size()) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(region);
  const std::uint64_t begin = address - first_sector(number);
  if (begin < geometry_.bitmap_sectors() || begin + sectors > geometry_.region_sectors(number)) return std::nullopt;
  return number;
}

SpaceMap::Run SpaceMap::run_of(std::uint32_t region, std::uint64_t address, std::uint32_t sectors) const {
  return {static_cast<std::uint32_t>(address - first_sector(region)), sectors};
}

void SpaceMap::release(std::uint64_t address, std::uint32_t sectors) {
  const auto region = region_of(address, sectors);
  BLKPRESS_ASSERT(region);
  regions_[*region].released.push_back(run_of(*region, address, sectors));
}

bool SpaceMap::taken(std::uint64_t address, std::uint32_t sectors) const {
  const auto region = region_of(address, sectors);
  if (!region || regions_[*region].bits.empty()) return false;
  const Run run = run_of(*region, address, sectors);
  for (std::uint32_t i = 0; i < run.sectors; ++i) {
    if (!get(regions_[*region].bits, run.begin + i)) return false;
  }
  return true;
}

void SpaceMap::take_back(std::uint64_t address, std::uint32_t sectors) {
  const auto region = region_of(address, sectors);
  BLKPRESS_ASSERT(region && !regions_[*region].bits.empty());
  Region& of = regions_[*region];
  const Run run = run_of(*region, address, sectors);
  change(of.bits, run.begin, run.sectors, false);
  of.free += sectors;
  of.run_max = UINT32_MAX;
  free_ += sectors;
}

Status SpaceMap::write_bitmap(std::uint32_t region) {
  Region& of = regions_[region];
  BLKPRESS_TRY(load(region));
  for (const Run& run : of.released) {
    for (std::uint32_t i = 0; i < run.sectors; ++i) {
      if (!get(of.bits, run.begin + i)) {
        return Error{ErrorKind::corrupt,
                     fmt::format("sector {} is released, but not in use", first_sector(region) + run.begin + i)};
      }
    }
    change(of.bits, run.begin, run.sectors, false);
    of.free += run.sectors;
  }
  if (!of.released.empty()) of.run_max = UINT32_MAX;
  std::vector<std::byte> bytes(geometry_.bitmap_bytes());
  for (std::size_t i = 0; i < of.bits.size(); ++i) store_le(bytes.data() + 8 * i, of.bits[i]);
  of.side = of.side == 0 ? 1 : 0;
  of.checksum = block_checksum(bytes);
  BLKPRESS_TRY(file_.write(geometry_.bitmap_offset(region, of.side, 0), bytes));
  return file_.write(geometry_.bitmap_offset(region, of.side, 1), bytes);
}

Result<BlockChecksum> SpaceMap::write(unsigned side) {
  std::vector<std::byte> table(table_bytes());
  for (std::uint32_t i = 0; i < regions_.size(); ++i) {
    Region& of = regions_[i];
    if (of.dirty || !of.released.empty()) BLKPRESS_TRY(write_bitmap(i));
    std::byte* entry = table.data() + i * PoolGeometry::kTableEntryBytes;
    store_le(entry, static_cast<std::uint32_t>(of.side));
    store_le(entry + 4, of.free);
    std::copy(of.checksum.begin(), of.checksum.end(), entry + 8);
  }
  for (const unsigned copy : {0U, 1U}) BLKPRESS_TRY(file_.write(geometry_.table_offset(side, copy), table));
  return block_checksum(table);
}

std::uint64_t SpaceMap::free_in_bitmaps() const {
  std::uint64_t free = 0;
  for (const Region& of : regions_) free += of.free;
  return free;
}

void SpaceMap::committed() {
  std::size_t loaded = 0;
  free_ = free_in_bitmaps();
  for (Region& of : regions_) {
    of.dirty = false;
    of.released.clear();
    // The oldest ones in the order of the file go; which ones does not matter to what is stored.
    if (!of.bits.empty() && ++loaded > kBitmapsKept) Bits().swap(of.bits);
  }
}

}  // namespace blkpress
