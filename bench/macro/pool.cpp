// Throughput of a pool beside what it is made of: the bare policy, a plain file, the serial sum of reading, summing up
// and decoding. Prints ratios of medians; bench/README.md says what the rows mean.
//
//   bench_pool [--directory=D] [--repetitions=N] [--threads=N] [--only=TEXT] [--stream-gib=N] [--record=BYTES]
//   [--quick]
//
// Ends with 0 whatever the ratios are, with another number when it cannot run.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <thread>

#include "measures.hpp"

namespace {

using namespace blkpress;
using namespace blkpress::bench;

struct Arguments {
  Setup setup = {};
  std::uint64_t stream_gib = 1;
  std::uint64_t record_bytes = kMiB;
};

template <class T>
bool parse_number(std::string_view text, T& value, T least, T most) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= least && value <= most;
}

bool parse(std::string_view word, Arguments& arguments) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
  if (name == "--quick") {
    arguments.setup.quick = true;
    arguments.setup.repetitions = 1;
    return value.empty();
  }
  if (name == "--directory") return !(arguments.setup.directory = value).empty();
  if (name == "--only") return !(arguments.setup.only = value).empty();
  if (name == "--repetitions") return parse_number(value, arguments.setup.repetitions, 1U, 1000U);
  if (name == "--threads") return parse_number(value, arguments.setup.threads, 1U, 256U);
  if (name == "--stream-gib") return parse_number(value, arguments.stream_gib, std::uint64_t{1}, std::uint64_t{1024});
  if (name == "--record") {
    return parse_number(value, arguments.record_bytes, std::uint64_t{512}, 16 * kMiB) &&
           is_power_of_two(arguments.record_bytes);
  }
  return false;
}

Status measure(const Arguments& arguments, Table& table) {
  const Setup& setup = arguments.setup;
  // First: what others leave behind in the allocator would be used without being counted.
  BLKPRESS_TRY(measure_streaming_memory(setup, table, arguments.stream_gib, arguments.record_bytes));
  BLKPRESS_TRY(measure_sequential_writes(setup, table));
  BLKPRESS_TRY(measure_sequential_reads(setup, table));
  BLKPRESS_TRY(measure_cached_reads(setup, table));
  BLKPRESS_TRY(measure_overwrites(setup, table));
  return measure_synchronous_writes(setup, table);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  arguments.setup.threads = std::max(1U, std::thread::hardware_concurrency());
  for (int i = 1; i < argc; ++i) {
    if (parse(argv[i], arguments)) continue;
    std::fprintf(stderr,
                 "bench_pool: '%s' is not one of --directory=D --repetitions=N --threads=N --only=TEXT --stream-gib=N "
                 "--record=BYTES --quick\n",
                 argv[i]);
    return static_cast<int>(ErrorKind::usage);
  }
  Table table;
  if (const Status done = measure(arguments, table); !done) {
    std::fprintf(stderr, "bench_pool: %s\n", done.error().message.c_str());
    return static_cast<int>(done.error().kind);
  }
  std::printf("%u below the limit\n", table.below());
  return 0;
}
