// The measurements of bench_pool, a file each. Errors: those of the pool and the system.
#pragma once

#include "measurement.hpp"

namespace blkpress::bench {

// 1 MiB writes one behind the other, flushed at the end, beside the bare policy and a plain file.
Status measure_sequential_writes(const Setup& setup, Table& table);
// Records one behind the other, beside reading, summing up and decoding the same stored bytes in one thread.
Status measure_sequential_reads(const Setup& setup, Table& table);
// 4 KiB reads that find their record in memory.
Status measure_cached_reads(const Setup& setup, Table& table);
// 4 KiB writes into records of 128 KiB: how often the codec runs.
Status measure_overwrites(const Setup& setup, Table& table);
// 4 KiB writes, each flushed, beside a plain file.
Status measure_synchronous_writes(const Setup& setup, Table& table);
// A long stream through a pool: the process's peak of memory.
Status measure_streaming_memory(const Setup& setup, Table& table, std::uint64_t gib, std::uint64_t record_bytes);

}  // namespace blkpress::bench
