// A pool on a file that fails, ends early, fills up, or whose writer is killed.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "pool/pool_life.hpp"
#include "support/catch.hpp"
#include "support/must.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using namespace blkpress::test;

namespace {

// Ends a life by a fault, then opens what is left without it.
std::string end_by(std::uint64_t seed, const FaultPlan& plan, bool& ended) {
  PoolLife life = record_life(seed, 60, plan);
  const PoolLife whole = record_life(seed, 60);
  ended = life.log->size() < whole.log->size() || life.flushes.size() < whole.flushes.size();
  Undo undo;
  return reopen(life, life.end, life.log->size(), true, undo);
}

}  // namespace

TEST_CASE("pool: an I/O error anywhere reaches the caller and does no damage") {
  unsigned ended_early = 0;
  for (std::uint64_t at = 0; at < 120; ++at) {
    for (unsigned kind = 0; kind < 3; ++kind) {
      FaultPlan plan;
      (kind == 0 ? plan.failing_read : kind == 1 ? plan.failing_write : plan.failing_flush) = at;
      plan.torn_bytes = at % 2 * 1024;
      bool ended = false;
      const std::string wrong = end_by(at % 7, plan, ended);
      if (ended) ++ended_early;
      CAPTURE(at, kind);
      if (!wrong.empty()) FAIL(wrong);
    }
  }
  CHECK(ended_early > 100);
}

TEST_CASE("pool: a file that is shorter than it was gives errors, never wrong bytes") {
  PoolLife life = record_life(3, 80);
  for (std::uint64_t end = 0; end < life.end.size(); end += 96 * kKiB) {
    CAPTURE(end);
    FaultPlan plan;
    plan.early_end = end;
    auto pool = Pool::open(make_faulty_file(std::make_unique<ImageFile>(life.end), plan), {.read_only = true});
    if (!pool) continue;
    const auto volume = (*pool)->open_volume("v");
    if (!volume) continue;
    for (std::size_t block = 0; block < kBlocks; ++block) {
      Bytes8 bytes(kBlock);
      if ((*volume)->read(block * kBlock, bytes)) CHECK(bytes == life.blocks[block].back().bytes);
    }
  }
}

TEST_CASE("pool: a writer that is killed loses nothing that it has flushed, twenty times") {
  const ScratchDirectory scratch;
  const std::string path = scratch.path("killed.blkp");
  {
    auto pool = must(Pool::create(path, {.size = 64 * kMiB}));
    must(pool->create_volume("v", 8 * kMiB, {{"volblocksize", "8K"}}));
  }
  std::uint64_t flushed_before = 0;
  for (unsigned round = 0; round < 20; ++round) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      // Each number goes to a block of its own; what is flushed is told.
      PoolOptions options;
      options.threads = 2;
      auto pool = Pool::open(path, options);
      if (!pool) ::_exit(1);
      auto volume = (*pool)->open_volume("v");
      if (!volume) ::_exit(1);
      for (std::uint64_t number = flushed_before + 1;; ++number) {
        Bytes8 bytes(8192, static_cast<std::byte>(number));
        store_le(bytes.data(), number);
        if (!(*volume)->write(number % 1024 * 8192, bytes)) ::_exit(1);
        if (number % 3 != 0) continue;
        if (number % 90 == 0 ? !(*pool)->set("v", {"compression", "lz4"}) : !(*volume)->flush()) ::_exit(1);
        if (::write(ends[1], &number, sizeof(number)) != sizeof(number)) ::_exit(1);
      }
    }
    ::close(ends[1]);
    std::uint64_t flushed = 0;
    for (std::uint64_t told = 0, number = 0; told<20 + 13 * round&& ::read(ends[0], &number, sizeof(number))> 0;
         ++told) {
      flushed = number;
    }
    ::kill(child, SIGKILL);
    for (std::uint64_t number = 0; ::read(ends[0], &number, sizeof(number)) == sizeof(number);) flushed = number;
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CAPTURE(round, flushed);
    auto pool = must(Pool::open(path));
    for (const PoolProblem& problem : must(pool->check()).problems) FAIL_CHECK(problem.where << ": " << problem.what);
    auto volume = must(pool->open_volume("v"));
    for (std::uint64_t number = flushed > 1000 ? flushed - 1000 : 1; number <= flushed; ++number) {
      Bytes8 bytes(8192);
      must(volume->read(number % 1024 * 8192, bytes));
      const auto held = load_le<std::uint64_t>(bytes.data());
      // A later number may have overwritten it before the kill.
      const bool right = held % 1024 == number % 1024 && held >= number && bytes[100] == static_cast<std::byte>(held);
      if (!right) FAIL("block of number " << number << " holds " << held);
    }
    flushed_before = flushed;
  }
}
