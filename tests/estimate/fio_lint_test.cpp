// lint against what files that real fio 3.33 wrote take on a real OpenZFS: 32 MiB, records of 128 KiB, 4 KiB sectors.
#include "blkpress/fio_lint.hpp"

#include "blkpress/sim/fio_job.hpp"
#include "support/catch.hpp"

using namespace blkpress;

namespace {

FioLint lint(const std::string& options, FioLintOptions lint_options = {}) {
  const auto jobs =
      sim::parse_fio_command("fio --name=x --filename=F --ioengine=psync --randseed=1234 --allrandrepeat=1 " + options);
  if (!jobs) FAIL(jobs.error().message);
  const auto result = lint_fio_job(jobs->jobs[0].io, lint_options);
  if (!result) FAIL(result.error().message);
  return *result;
}

FioLintOptions only(const std::string& compression) { return {.compressions = {compression}, .recordsizes = {"128K"}}; }

double ratio(const std::string& options, const std::string& compression) {
  return lint(options, only(compression)).cells.at(0).ratio;
}

}  // namespace

TEST_CASE("lint: default buffers in 4 KiB blocks compress ten-fold, in blocks of a record not at all") {
  CHECK(ratio("--rw=write --bs=4k --size=32m", "lz4") == Approx(10.66).epsilon(0.01));
  CHECK(ratio("--rw=write --bs=4k --size=32m", "lzjb") == Approx(1.00).epsilon(0.001));
  CHECK(ratio("--rw=write --bs=4k --size=32m", "gzip-6") == Approx(16.00).epsilon(0.01));
  CHECK(ratio("--rw=randwrite --bs=4k --size=32m", "lz4") == Approx(5.35).epsilon(0.02));
  CHECK(ratio("--rw=write --bs=128k --size=32m", "lz4") == Approx(1.00).epsilon(0.001));
  CHECK(ratio("--rw=write --bs=4k --size=32m --refill_buffers", "zstd-3") == Approx(1.00).epsilon(0.01));
}

TEST_CASE("lint: what depends on the queue depth is found") {
  // Real fio with libaio: each I/O in flight has a buffer of its own.
  const std::string job = "--rw=write --bs=4k --size=32m --ioengine=libaio --iodepth=";
  CHECK(ratio(job + "4", "lz4") == Approx(4.29).epsilon(0.02));
  CHECK(ratio(job + "16", "lz4") == Approx(1.00).epsilon(0.01));
}

TEST_CASE("lint: compares with what the options ask for, and says what would help") {
  const FioLint default_job = lint("--rw=write --bs=4k --size=32m", only("lz4"));
  CHECK(default_job.asked == 1.0);
  CHECK(default_job.cells[0].misleading);
  CHECK(default_job.hint.find("refill_buffers") != std::string::npos);
  const FioLint refilled = lint("--rw=write --bs=4k --size=32m --refill_buffers", only("lz4"));
  CHECK(!refilled.cells[0].misleading);
  CHECK(refilled.hint.empty());
  // A half of each 512 bytes: 1.88 after rounding to sectors, within a tenth of the 2.00 that were asked for.
  const FioLint half = lint("--rw=write --bs=128k --size=32m --buffer_compress_percentage=50", only("lz4"));
  CHECK(half.asked == 2.0);
  CHECK(half.cells[0].ratio == Approx(1.88).epsilon(0.02));
  CHECK(!half.cells[0].misleading);
}

TEST_CASE("lint: zeros are holes, and a pattern asks for no ratio") {
  const FioLint zeros = lint("--rw=write --bs=128k --size=32m --zero_buffers", only("lz4"));
  CHECK(!zeros.asked);
  CHECK(zeros.cells[0].hole_share == 1);
  CHECK(zeros.cells[0].ratio == 1);
  CHECK(!lint("--rw=write --bs=128k --size=32m --buffer_pattern=0xdeadbeef", only("lz4")).asked);
}

TEST_CASE("lint: records so compressible that they are embedded are found misleading") {
  const FioLint tiny =
      lint("--rw=write --bs=16 --size=1m", {.compressions = {"gzip-9"}, .recordsizes = {"4K"}, .ashift = "9"});
  CHECK(tiny.cells[0].ratio > 30);  // 4096 bytes in at most 112
  CHECK(tiny.cells[0].misleading);
}

TEST_CASE("lint: a job that never ends, or writes terabytes, is tried on a sample") {
  const FioLint big = lint("--rw=randwrite --bs=4k --size=4t --time_based --runtime=1d --refill_buffers",
                           {.compressions = {"lz4"}, .recordsizes = {"128K"}, .sample_bytes = kMiB});
  CHECK(big.bytes <= kMiB);
  CHECK(big.cells[0].ratio == Approx(1).epsilon(0.01));
}

TEST_CASE("lint: what policy zfs refuses is refused in its words") {
  const auto jobs = sim::parse_fio_command("fio --name=x --filename=F --rw=write --bs=4k --size=1m");
  REQUIRE(jobs);
  const auto wrong = lint_fio_job(jobs->jobs[0].io, {.compressions = {"lz5"}});
  REQUIRE(!wrong);
  CHECK(wrong.error().message.find("lz5") != std::string::npos);
}
