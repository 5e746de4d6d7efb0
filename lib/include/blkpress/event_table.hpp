// A PostgreSQL data file of a table of events, page by page: keys, times, a few repeated values, an address, and a UUID
// of 16 random bytes. One knob, the mean share of free space in a page, sets how well it compresses.
//
// Unlike the corpus's database pages any page can be made without those before it, so that a file of many GiB can be
// sampled. docs/content.md has the figures.
// Threads: const functions of a value; any.
#pragma once

#include <cstdint>
#include <memory>

#include "blkpress/bytes.hpp"
#include "blkpress/record_content.hpp"

namespace blkpress {

struct EventTableOptions {
  double free_share = 0;  // the knob: mean share of free space, 0 … 0.5; each page has between none and twice as much
  std::uint64_t seed = 1;
};

class EventTable {
 public:
  static constexpr std::uint64_t kPageSize = 8192;

  explicit EventTable(const EventTableOptions& options);

  // Writes target from offset on; both multiples of kPageSize. The table has no end.
  void read(std::uint64_t offset, ByteSpan target) const;

 private:
  class Page;
  EventTableOptions options_;
};

// The table as the records of a file; records are multiples of 8 KiB. knob: the mean share of free space.
std::unique_ptr<RecordContent> database_content(std::uint64_t seed, double knob);

}  // namespace blkpress
