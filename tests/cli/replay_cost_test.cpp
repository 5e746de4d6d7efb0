// What a replay takes: memory bounded by the files' records, events by their I/Os.
#include <fmt/format.h>

#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress::test;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // shadow memory counts as resident
#else
constexpr bool kSanitized = false;
#endif

}  // namespace

TEST_CASE("replay: takes less than 64 bytes for each record of the files, and 64 MiB") {
  // The largest files of a document: ten of 8192 records, or one of 1048576 pages.
  for (const char* id : {"vps-zfs-fio", "btrfs-f2fs-fio"}) {
    const CommandRun run = run_command({"replay", id, "--output", "/dev/null"});
    INFO(run.err);
    REQUIRE(run.status == 0);
    const std::uint64_t records = std::string(id) == "vps-zfs-fio" ? 81920 : 1048576;
    if (!kSanitized) CHECK(run.peak_memory < 64 * records + (64U << 20U));
  }
}
