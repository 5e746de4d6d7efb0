// The values of fio's options: numbers with units, durations, lists, patterns, distributions.
//
// Threads: pure functions. Errors are of kind usage and say what is wrong with the value, not where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blkpress/fio_options.hpp"
#include "blkpress/result.hpp"

namespace blkpress::sim {

// "4k", "1m", "0x1000", "512b". fio's default reading: k, kb = kb_base, ki = the other of 1000 and 1024.
Result<std::uint64_t> parse_fio_bytes(std::string_view text, std::uint64_t kb_base);
Result<std::uint64_t> parse_fio_count(std::string_view text);     // decimal or 0x…, no unit
Result<std::uint64_t> parse_fio_duration(std::string_view text);  // seconds unless d h m s ms us; in nanoseconds
Result<bool> parse_fio_bool(std::string_view text);               // 0, 1, true, false
Result<double> parse_fio_decimal(std::string_view text);
Result<std::vector<std::byte>> parse_fio_pattern(std::string_view text);
Result<FioDistribution> parse_fio_distribution(std::string_view text);

// "4k/50:8k/30:128k/20" of one direction.
Result<std::vector<FioSplit>> parse_fio_split(std::string_view text, std::uint64_t kb_base);

std::vector<std::string_view> split_list(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);

// A value for a message: shortened, and without bytes that a terminal would mind.
std::string shown(std::string_view text);

}  // namespace blkpress::sim
