// fio on a filesystem behind the page cache.
#include <fstream>

#include "blkpress/sim/workload.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

WorldOptions f2fs() {
  WorldOptions options;
  options.host_file = BLKPRESS_SOURCE_DIR "/data/hosts/linux-2020-nvme.toml";
  options.device_file = BLKPRESS_SOURCE_DIR "/data/devices/nvme-2020.toml";
  options.filesystem = "f2fs";
  options.f2fs_write.dirty_background = kGiB;
  options.f2fs_write.write_time = microseconds(3);
  return options;
}

// Runs one job with these lines on top of 1 MiB of 4 KiB writes at random.
WorkloadResult run(const std::string& lines, const std::string& settings_disk = "") {
  const blkpress::test::ScratchDirectory scratch;
  std::ofstream(scratch.path("job.fio")) << "[bench]\nfilename=/mnt/x\nrw=randwrite\nbs=4k\nsize=1m\n" << lines;
  const auto world = World::make(f2fs());
  REQUIRE(world);
  std::vector<std::pair<std::string, std::string>> values = {{"job", "job.fio"}, {"user_us_per_io", "1"}};
  if (!settings_disk.empty()) values.emplace_back("disk", settings_disk);
  WorkloadSettings settings("test", scratch.path(""), values);
  auto result = run_workload("fio", **world, settings);
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}

}  // namespace

TEST_CASE("fio, buffered: a queue fills up with I/Os that are done, and is emptied at the end") {
  // As documents with libaio and without direct=1 print it: 256 I/Os, the first 63 at lower depths.
  const WorkloadResult result = run("ioengine=libaio\niodepth=64\n");
  REQUIRE(result.fio);
  CHECK(result.fio->depths == FioDepthCounts{1, 2, 4, 8, 16, 32, 193});
  CHECK(result.fio->submits == FioDepthCounts{0, 256, 0, 0, 0, 0, 0});
  CHECK(result.fio->completes == FioDepthCounts{0, 193, 0, 0, 0, 1, 0});
}

TEST_CASE("fio, buffered: an I/O in a queue of d waits until d - 1 more are written") {
  const WorkloadResult result = run("ioengine=libaio\niodepth=8\n");
  const FioDirectionResult& writes = (*result.fio)[FioDirection::write];
  CHECK(writes.clat_ns.max == 7 * 4'000);
  CHECK(writes.lat_ns.max == 8 * 4'000);
  CHECK(writes.runtime_ms == 1);  // 256 times 4 us
}

TEST_CASE("fio, buffered: a synchronous engine waits for each write") {
  const WorkloadResult result = run("ioengine=psync\n");
  const FioDirectionResult& writes = (*result.fio)[FioDirection::write];
  CHECK(writes.clat_ns.min == 4'000);
  CHECK(writes.clat_ns.max == 4'000);
  CHECK(result.fio->depths == FioDepthCounts{256, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("fio, buffered: gtod_reduce leaves the latencies out and changes no time") {
  const WorkloadResult measured = run("ioengine=libaio\niodepth=64\n");
  const WorkloadResult reduced = run("ioengine=libaio\niodepth=64\ngtod_reduce=1\n");
  CHECK((*reduced.fio)[FioDirection::write].clat_ns.samples == 0);
  CHECK((*reduced.fio)[FioDirection::write].runtime_ms == (*measured.fio)[FioDirection::write].runtime_ms);
  CHECK(reduced.fio->depths == measured.fio->depths);
  CHECK(reduced.text.find("clat") == std::string::npos);
  CHECK(measured.text.find("clat (nsec)") != std::string::npos);
}

TEST_CASE("fio, buffered: the disk below is printed when it has a name") {
  CHECK(run("").text.find("Disk stats") == std::string::npos);
  const WorkloadResult result = run("", "sda");
  CHECK(
      result.text.find("\nDisk stats (read/write):\n  sda: ios=0/0, merge=0/0, ticks=0/0, in_queue=0, util=0.00%\n") !=
      std::string::npos);
}

TEST_CASE("fio, buffered: jobs with one filename share its pages") {
  const WorkloadResult one = run("ioengine=psync\nnumjobs=2\nnorandommap\n");
  CHECK((*one.fio)[FioDirection::write].ios == 512);
  CHECK(one.records == 512);
}

TEST_CASE("workloads that hand records over are refused on a filesystem that takes pages") {
  const auto world = World::make(f2fs());
  REQUIRE(world);
  const auto message = [&](const std::string& name, std::vector<std::pair<std::string, std::string>> values) {
    WorkloadSettings settings("test", ".", std::move(values));
    const auto result = run_workload(name, **world, settings);
    REQUIRE(!result);
    return result.error().message;
  };
  CHECK(message("dd", {{"bs", "1024"}, {"count", "16"}, {"source", "zero"}, {"cpu_us_per_block", "1"}}) ==
        "workload dd is not simulated on filesystem f2fs");
}
