#include "pool/intent_log.hpp"

#include <algorithm>

namespace blkpress {
namespace {

constexpr std::uint32_t kMagic = 0x676c7062;  // "bplg"
constexpr std::size_t kHeaderBytes = 48, kChecksumAt = 32;
constexpr std::uint64_t kStep = 4 * kKiB;  // entries begin at multiples of it
// Whoever opens a pool looks for an entry behind a damaged one no further than this, in both places: opening reads at
// most 4 MiB of any pool.
constexpr std::uint64_t kEntryBytesMax = 5 * kMiB / 4;

// Header and payload, the checksum's own place taken as zeros.
BlockChecksum checksum_of(std::vector<std::byte> entry) {
  std::fill_n(entry.begin() + kChecksumAt, sizeof(BlockChecksum), std::byte{0});
  return block_checksum(entry);
}

std::uint32_t payload_bytes(const std::byte* entry) { return load_le<std::uint32_t>(entry + 24); }
std::uint32_t sequence_of(const std::byte* entry) { return load_le<std::uint32_t>(entry + 4); }

}  // namespace

Result<bool> IntentLog::append(const Superblock& superblock, ByteView payload) {
  const std::uint64_t room = std::min(superblock.geometry.log_bytes() - at_, kEntryBytesMax);
  if (payload.size() > room || round_up(kHeaderBytes + payload.size(), kStep) > room) return false;
  std::vector<std::byte> entry(round_up(kHeaderBytes + payload.size(), kStep));
  std::byte* to = entry.data();
  store_le(to, kMagic);
  store_le(to + 4, static_cast<std::uint32_t>(sequence_));
  store_le(to + 8, superblock.txg);
  store_le(to + 16, superblock.guid);
  store_le(to + 24, static_cast<std::uint32_t>(payload.size()));
  std::copy(payload.begin(), payload.end(), to + kHeaderBytes);
  const BlockChecksum checksum = block_checksum(entry);
  std::copy(checksum.begin(), checksum.end(), to + kChecksumAt);
  for (const unsigned copy : {0U, 1U}) BLKPRESS_TRY(file_.write(superblock.geometry.log_offset(copy) + at_, entry));
  BLKPRESS_TRY(file_.flush());
  at_ += entry.size();
  ++sequence_;
  return true;
}

Result<std::vector<std::byte>> IntentLog::entry_at(const Superblock& superblock, unsigned copy, std::uint64_t at) {
  const std::uint64_t begin = superblock.geometry.log_offset(copy);
  const std::uint64_t room = std::min(superblock.geometry.log_bytes() - at, kEntryBytesMax);
  std::vector<std::byte> entry(kStep);
  Result<std::size_t> got = file_.read(begin + at, entry);
  if (!got) return got.error();
  const std::byte* from = entry.data();
  const bool ours = *got == entry.size() && load_le<std::uint32_t>(from) == kMagic &&
                    load_le<std::uint64_t>(from + 8) == superblock.txg &&
                    load_le<std::uint64_t>(from + 16) == superblock.guid && payload_bytes(from) <= room &&
                    round_up(kHeaderBytes + payload_bytes(from), kStep) <= room;
  if (!ours) return std::vector<std::byte>();
  entry.resize(round_up(kHeaderBytes + payload_bytes(from), kStep));
  got = file_.read(begin + at, entry);
  if (!got) return got.error();
  const BlockChecksum checksum = checksum_of(entry);
  const bool whole = *got == entry.size() && std::equal(checksum.begin(), checksum.end(), entry.begin() + kChecksumAt);
  if (!whole) entry.clear();
  return entry;
}

// An entry is begun only when the one before is on stable storage: a later one means that this one was.
Result<bool> IntentLog::later_entry(const Superblock& superblock) {
  const std::uint64_t end = std::min(superblock.geometry.log_bytes(), at_ + kEntryBytesMax + kStep);
  for (std::uint64_t at = at_; at < end; at += kStep) {
    for (const unsigned copy : {0U, 1U}) {
      const Result<std::vector<std::byte>> entry = entry_at(superblock, copy, at);
      if (!entry) return entry.error();
      if (!entry->empty() && sequence_of(entry->data()) > sequence_) return true;
    }
  }
  return false;
}

Status IntentLog::replay(const Superblock& superblock, bool read_only,
                         const std::function<Status(ByteView payload)>& visit) {
  start_anew();
  while (at_ < superblock.geometry.log_bytes()) {
    std::vector<std::byte> whole;
    bool both = true;
    for (const unsigned copy : {0U, 1U}) {
      Result<std::vector<std::byte>> entry = entry_at(superblock, copy, at_);
      if (!entry) return entry.error();
      const bool good = !entry->empty() && sequence_of(entry->data()) == sequence_;
      both = both && good;
      if (good) whole = std::move(*entry);
    }
    if (whole.empty()) {
      const Result<bool> later = later_entry(superblock);
      if (!later) return later.error();
      if (*later) return Error{ErrorKind::corrupt, "intent log: an entry is damaged in both places"};
      return ok();
    }
    if (!both && !read_only) {
      for (const unsigned copy : {0U, 1U}) BLKPRESS_TRY(file_.write(superblock.geometry.log_offset(copy) + at_, whole));
      ++healed_;
    }
    at_ += whole.size();
    ++sequence_;
    BLKPRESS_TRY(visit(ByteView(whole).subspan(kHeaderBytes, payload_bytes(whole.data()))));
  }
  return ok();
}

}  // namespace blkpress
