// IntentLog: what has to last between two commits, in a fixed place at each end of the file.
//
// After a commit it starts anew from the beginning; an entry belongs to the group that was committed last when it was
// written, so older ones are told apart. docs/format.md has the bytes. Threads: one at a time.
#pragma once

#include <functional>

#include "blkpress/block_file.hpp"
#include "pool/superblock.hpp"

namespace blkpress {

class IntentLog {
 public:
  // file outlives the log.
  explicit IntentLog(BlockFile& file) : file_(file) {}

  // When it returns true, the entry is on stable storage in both places; false: it does not fit. Errors: io.
  Result<bool> append(const Superblock& superblock, ByteView payload);
  // The entries of the superblock's group, in order, as far as they go; an entry that is whole in one place only is
  // written anew in the other one, unless read_only. The next one is appended behind them. Errors: corrupt: an entry is
  // damaged in both places and a later one is there; io; those of visit.
  Status replay(const Superblock& superblock, bool read_only, const std::function<Status(ByteView payload)>& visit);
  void start_anew() { at_ = sequence_ = 0; }

  [[nodiscard]] std::uint64_t healed() const { return healed_; }

 private:
  // The entry at a place, padding included; empty: there is none, or it is damaged.
  Result<std::vector<std::byte>> entry_at(const Superblock& superblock, unsigned copy, std::uint64_t at);
  Result<bool> later_entry(const Superblock& superblock);

  BlockFile& file_;
  std::uint64_t at_ = 0;        // where the next entry goes
  std::uint64_t sequence_ = 0;  // its number
  std::uint64_t healed_ = 0;
};

}  // namespace blkpress
