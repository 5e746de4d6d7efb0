// The simulate command: any job on any host, device and filesystem; and what-if replays.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command_run.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress;
using test::run_command;
using Json = nlohmann::ordered_json;

namespace {

const char* const kJob = "[w]\nrw=write\nbs=128k\nsize=64m\nioengine=psync\n";

// Milliseconds of the run of 1 GiB of writes with these arguments before "--".
std::uint64_t runtime_ms(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"simulate", "--format", "json"});
  arguments.insert(arguments.end(), {"--", "--name=w", "--rw=write", "--bs=128k", "--size=1g", "--ioengine=psync"});
  const auto run = run_command(arguments);
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  return Json::parse(run.out)["jobs"][0]["write"]["runtime"];
}

}  // namespace

TEST_CASE("command simulate: prints fio's output and what it rests on, the same twice, from a file or a command line") {
  const test::ScratchDirectory scratch;
  const std::string job = scratch.write("job.fio", std::string(kJob));
  const auto run = run_command({"simulate", "-o", "compression=lz4", job});
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.err.empty());
  CHECK(run.out.starts_with(
      "w: (g=0): rw=write, bs=(R) 128KiB-128KiB, (W) 128KiB-128KiB, (T) 128KiB-128KiB, ioengine=psync, iodepth=1\n"));
  CHECK(run.out.find("\nw: (groupid=0, jobs=1): err= 0: pid=0: Thu Jan  1 00:00:00 1970\n") != std::string::npos);
  CHECK(run.out.find("issued rwts: total=0,512,0,0") != std::string::npos);
  CHECK(run.out.find("\nWhat this rests on\n  host tencent-vps: 2 cores, 3891 MiB") != std::string::npos);
  CHECK(run.out.find("device hdd-7200; filesystem zfs, compression lz4, recordsize 131072\n") != std::string::npos);
  CHECK(run.out.find("8 of 512 records compressed for real") != std::string::npos);
  CHECK(run_command({"simulate", "-o", "compression=lz4", job}).out == run.out);
  CHECK(run_command({"simulate", "-o", "compression=lz4", "--", "--name=w", "--rw=write", "--bs=128k", "--size=64m",
                     "--ioengine=psync"})
            .out == run.out);
}

TEST_CASE("command simulate: parts of records, mixed directions and asynchronous engines run on zfs") {
  const auto runtime = [](const std::vector<std::string>& job) {
    std::vector<std::string> arguments = {"simulate", "--device", "hdd-7200", "--format",
                                          "json",     "--",       "--name=j", "--size=256m"};
    arguments.insert(arguments.end(), job.begin(), job.end());
    const auto run = run_command(arguments);
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    return Json::parse(run.out);
  };
  const auto mixed = runtime({"--rw=randrw", "--bs=8k", "--ioengine=libaio", "--iodepth=16"});
  CHECK(mixed["jobs"][0]["read"]["io_bytes"].get<int>() + mixed["jobs"][0]["write"]["io_bytes"].get<int>() ==
        256 << 20);
  CHECK(mixed["jobs"][0]["iodepth_level"]["16"].get<double>() > 90);
  const auto split = runtime({"--rw=write", "--bssplit=4k/50:64k/50", "--ioengine=psync"});
  CHECK(split["jobs"][0]["write"]["io_bytes"].get<int>() >= 256 << 20);
  // Records of 128 KiB in memory are copied in parts: as long as whole ones.
  const auto parts = runtime({"--rw=read", "--bs=4k", "--ioengine=psync"});
  const auto whole = runtime({"--rw=read", "--bs=128k", "--ioengine=psync"});
  CHECK(parts["jobs"][0]["read"]["runtime"].get<double>() ==
        Approx(whole["jobs"][0]["read"]["runtime"].get<double>()).margin(2));
}

TEST_CASE("command simulate: behind the page cache a write takes time, and settings of zfs are refused") {
  for (const char* filesystem : {"btrfs", "f2fs"}) {
    const auto run = run_command({"simulate", "--filesystem", filesystem, "--device", "nvme", "--format", "json", "--",
                                  "--name=w", "--rw=randwrite", "--bs=4k", "--size=64m"});
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    CHECK(Json::parse(run.out)["jobs"][0]["write"]["bw"].get<double>() > 0);
    const auto refused = run_command({"simulate", "--filesystem", filesystem, "--set", "zfs.arc_max=1G", "--",
                                      "--name=w", "--rw=randwrite", "--bs=4k", "--size=64m"});
    CHECK(refused.status == 2);
    CHECK(refused.err.find("has no meaning on filesystem") != std::string::npos);
  }
}

TEST_CASE("command simulate: a disk whose write cache is dirty still reads in sequence at its media rate") {
  const auto bw = [](const std::string& cache) {
    const auto run = run_command({"simulate", "--device", "hdd-7200", "--set", "device.write_cache_kib=" + cache,
                                  "--format", "json", "--", "--name=r", "--rw=read", "--bs=128k", "--size=3g"});
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    return Json::parse(run.out)["jobs"][0]["read"]["bw"].get<double>();
  };
  CHECK(bw("32768") == Approx(bw("0")).epsilon(0.1));
}

TEST_CASE("command simulate: what one device cannot show, and buffers beyond a gibibyte, are refused") {
  const auto message = [](const std::vector<std::string>& options, const std::vector<std::string>& job) {
    std::vector<std::string> arguments = {"simulate"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    arguments.insert(arguments.end(), {"--", "--name=w", "--rw=write", "--size=64m"});
    arguments.insert(arguments.end(), job.begin(), job.end());
    const auto run = run_command(arguments);
    CHECK(run.status == 2);
    return run.err;
  };
  CHECK(message({"-o", "vdev=raidz1:3"}, {"--bs=128k"}).find("vdev=raidz1:3 with copies=1 is not simulated") !=
        std::string::npos);
  CHECK(message({"-o", "copies=2"}, {"--bs=128k"}).find("is not simulated") != std::string::npos);
  CHECK(message({}, {"--bs=64m", "--numjobs=40"}).find("the buffers of 40 jobs take 2560 MiB") != std::string::npos);
}

TEST_CASE("command simulate: the JSON is fio's, with one more key") {
  const test::ScratchDirectory scratch;
  const auto run = run_command({"simulate", "--format", "json", scratch.write("job.fio", std::string(kJob))});
  REQUIRE(run.status == 0);
  const auto json = Json::parse(run.out);
  CHECK(json["fio version"] == "fio-3.33");
  CHECK(json["jobs"][0]["write"]["io_bytes"] == 64 << 20);
  CHECK(json["jobs"][0]["job options"].dump() == R"({"rw":"write","bs":"128k","size":"64m","ioengine":"psync"})");
  CHECK(json["blkpress"]["seed"] == 1);
  CHECK(json["blkpress"]["statements"].size() >= 4);
}

TEST_CASE("command simulate: settings of device, host and filesystem move the result the way they must") {
  const std::uint64_t usual = runtime_ms({"--set", "zfs.dirty_data_max=64M"});
  // A codec that takes longer than the disk sets the pace; a faster host relieves it.
  const std::uint64_t gzip = runtime_ms({"--set", "zfs.dirty_data_max=64M", "-o", "compression=gzip-9"});
  const std::uint64_t fast = runtime_ms({"--set", "zfs.dirty_data_max=64M,host.speed=10", "-o", "compression=gzip-9"});
  CHECK(gzip > usual);
  CHECK(fast < gzip);
  // What fits into the dirty limit is over before the disk has it.
  CHECK(runtime_ms({"--set", "zfs.dirty_data_max=4G"}) < usual / 2);
  // A slow device is waited for.
  CHECK(runtime_ms({"--set", "zfs.dirty_data_max=64M", "--device", "scsi-2008"}) != usual);
}

TEST_CASE("command simulate: mistakes get their line") {
  const test::ScratchDirectory scratch;
  const std::string job = scratch.write("job.fio", std::string(kJob));
  const std::string empty = scratch.write("empty.fio", std::string());
  struct Case {
    std::vector<std::string> arguments;
    int status;
    std::string begin;  // of the message
  };
  const std::vector<Case> cases = {
      {{}, 2, "simulate: no job given: a job file, or -- and fio's command line\n"},
      {{"--"}, 2, "simulate: no job given: "},
      {{job, job}, 2, "simulate: one job file, not '"},
      {{job, "--", "--name=x"}, 2, "simulate: '" + job + "' and --: give a job file or a command line\n"},
      {{empty}, 2, empty + ": no jobs are defined\n"},
      {{scratch.path("none.fio")}, 3, "job file " + scratch.path("none.fio") + " cannot be read\n"},
      {{scratch.path()}, 3, ""},
      {{"--", "--name=x", "--rw=write", "--bs=128k", "--size=8e"}, 2, "command line: "},
      {{"--", "--name=x", "--rw=write", "--bs=128k", "--size=1048576t"}, 2, ""},
      {{"--", "--name=x", "--rw=write", "--bs=128k", "--size=1g", "--rate=1m"},
       2,
       "command line: option rate is not simulated"},
      {{"--host", "mainframe", job}, 2, "host 'mainframe' is unknown; there are freebsd-2009, "},
      {{"--device", "drum", job}, 2, "device 'drum' is unknown; there are "},
      {{"--device", scratch.path("none.toml"), job},
       3,
       "device file " + scratch.path("none.toml") + " cannot be read\n"},
      {{"--filesystem", "ntfs", job}, 2, "filesystem 'ntfs' is unknown; there are zfs"},
      {{"-o", "compression", job}, 2, "-o 'compression' is not NAME=VALUE\n"},
      {{"-o", "compression=lz5", job}, 2, "compression 'lz5' is not one of: "},
      {{"-o", "colour=red", job}, 2, ""},
      {{"--set", "device", job}, 2, "--set 'device' is not PART.KEY=VALUE; PART is device, host or zfs\n"},
      {{"--set", "engine.rpm=1", job}, 2, "--set 'engine.rpm=1': 'engine' is none of device, host, zfs\n"},
      {{"--set", "device.colour=1", job}, 2, ""},
      {{"--set", "device.rpm=nan", job}, 2, ""},
      {{"--set", "host.cores=nan", job}, 2, ""},
      {{"--set", "host.colour=1", job}, 2, ""},
      {{"--set", "zfs.colour=1", job},
       2,
       "--set 'zfs.colour=1': zfs has no setting colour; it has dirty_data_max, arc_max, "},
      {{"--set", "zfs.scattered_share=nan", job},
       2,
       "--set 'zfs.scattered_share=nan': 'nan' is not a number from 0 to 1\n"},
      {{"--set", "zfs.dirty_data_max=9999999999999999999E", job}, 2, "--set 'zfs.dirty_data_max="},
      {{"--format", "csv", job}, 2, "--format 'csv' is not one of text, json\n"},
      {{"--sample", "0", job}, 2, "--sample '0' is not a whole number between 1 and "},
  };
  for (const Case& hostile : cases) {
    std::vector<std::string> arguments = hostile.arguments;
    arguments.insert(arguments.begin(), "simulate");
    const auto run = run_command(arguments);
    CAPTURE(arguments, run.err);
    CHECK(run.status == hostile.status);
    CHECK(run.out.empty());
    CHECK(run.err.starts_with("blkpress: " + hostile.begin));
    CHECK(run.err.find('\n') == run.err.size() - 1);
  }
  const auto device = run_command({"simulate", "--set", "device.colour=1", job});
  CHECK(device.err.find("device hdd has no setting colour; it has ") != std::string::npos);
  const auto host = run_command({"simulate", "--set", "host.colour=1", job});
  CHECK(host.err.find("unknown field colour; known are name, cores, memory_mib, costs, speed\n") != std::string::npos);
}

TEST_CASE("command replay: a what-if is marked, compared and not judged") {
  const std::vector<std::string> base = {"replay", "vps-zfs-fio", "--format", "json"};
  std::vector<std::string> arguments = base;
  arguments.insert(arguments.end(), {"--set", "host.speed=1000"});
  const auto run = run_command(arguments);
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  const auto json = Json::parse(run.out);
  CHECK(json["summary"]["what_if"].dump() == R"(["host.speed=1000"])");
  int judged = 0;
  for (const auto& figure : json["figures"]) judged += figure["pass"].is_null() ? 0 : 1;
  CHECK(judged == 0);
  const auto text = run_command({"replay", "vps-zfs-fio", "--set", "host.speed=1000"});
  CHECK(text.out.starts_with("What if host.speed=1000: not the documents' world."));
  CHECK(text.out.find("Misses") == std::string::npos);
  const auto unknown = run_command({"replay", "vps-zfs-fio", "--set", "device.colour=1"});
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("has no setting colour; it has ") != std::string::npos);
}
