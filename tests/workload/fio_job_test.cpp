#include "blkpress/sim/fio_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "blkpress/random.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

FioJobs parsed(Result<FioJobs> result) {
  if (!result) FAIL(result.error().message);
  return std::move(result).value();
}
FioJobs command(std::string_view text) { return parsed(parse_fio_command(text)); }
FioJobs file(std::string_view text) { return parsed(parse_fio_file(text, "test.fio")); }

std::string command_error(std::string_view text) {
  const auto result = parse_fio_command(text);
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().kind == ErrorKind::usage);
  return result.error().message;
}
std::string file_error(std::string_view text) {
  const auto result = parse_fio_file(text, "test.fio");
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().kind == ErrorKind::usage);
  CHECK(result.error().message.size() < 400);
  CHECK(result.error().message.find('\n') == std::string::npos);
  return result.error().message;
}

constexpr std::string_view kWrite =
    "fio --name=seqwrite --rw=write --direct=1 --ioengine=psync --bs=128k --iodepth=32 --numjobs=10 --size=1G "
    "--group_reporting";

}  // namespace

TEST_CASE("fio job: the write command of the ZFS comparison is ten jobs of 1 GiB, one I/O at a time") {
  const FioJobs jobs = command(kWrite);
  REQUIRE(jobs.jobs.size() == 10);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const FioJob& job = jobs.jobs[i];
    CHECK(job.name == "seqwrite");
    CHECK(job.group == 0);
    CHECK(job.group_reporting);
    CHECK(job.direct);
    CHECK_FALSE(job.asynchronous);
    CHECK(job.iodepth == 32);
    CHECK(job.io.content.depth == 1);
    CHECK(job.io.access.writes);
    CHECK_FALSE(job.io.access.reads);
    CHECK_FALSE(job.io.access.random);
    CHECK(job.io.access.size == kGiB);
    CHECK(job.io.access.block_sizes[1] == FioBlockSizes{131072, 131072, {}});
    CHECK(job.io.seeding.job == i + 1);
    CHECK(job.copy == (i == 0 ? 0 : 10 - i));  // fio numbers the copies backwards
    CHECK(job.file_name == fmt::format("seqwrite.{}.0", job.copy));
  }
}

TEST_CASE("fio job: the job file of the Btrfs comparison gives 64 buffers and offsets without a map") {
  const FioJobs jobs = file(
      "[global]\nfilename=/mnt/fiotest\nrandrepeat=1\nioengine=libaio\nbs=4k\nba=4k\nsize=4G\ngtod_reduce=1\n"
      "norandommap\niodepth=64\n\n[bench]\nrw=randwrite\nstonewall\n");
  REQUIRE(jobs.jobs.size() == 1);
  const FioJob& job = jobs.jobs[0];
  CHECK(job.name == "bench");
  CHECK(job.file_name == "/mnt/fiotest");
  CHECK(job.asynchronous);
  CHECK(job.io.content.depth == 64);
  CHECK(job.io.content.gtod_reduce);
  CHECK(job.io.access.norandommap);
  CHECK(job.io.access.random);
  CHECK(job.io.access.block_align[1] == 4096);
  CHECK(job.io.access.size == 4 * kGiB);
  CHECK(job.stonewall);
}

TEST_CASE("fio job: a job file and a command line of the same options give the same jobs") {
  const FioJobs by_file = file(
      "; a comment\n[global]\nrw = write   # another\ndirect=1\nioengine=psync\nbs=128k\niodepth=32\n\n"
      "[seqwrite]\nnumjobs=10\nsize=1G\ngroup_reporting\n");
  CHECK(by_file.jobs == command(kWrite).jobs);
  CHECK(by_file.jobs == command("fio -rw write -direct=1 -ioengine psync -bs 128k --iodepth=32 --name=seqwrite "
                                "--numjobs 10 --size=1G --group_reporting=1")
                            .jobs);
}

TEST_CASE("fio job: units are fio's: k is 1024 and ki 1000, the other way round with kb_base=1000") {
  const auto size = [](std::string_view text) {
    return command(fmt::format("--name=x --rw=read --bs=1 {}", text)).jobs[0].io.access.size;
  };
  CHECK(size("--size=4096") == 4096);
  CHECK(size("--size=4k") == 4096);
  CHECK(size("--size=4K") == 4096);
  CHECK(size("--size=4kb") == 4096);
  CHECK(size("--size=4kB") == 4096);
  CHECK(size("--size=4096b") == 4096);
  CHECK(size("--size=0x1000") == 4096);
  CHECK(size("--size=1m") == 1048576);
  CHECK(size("--size=1mi") == 1000000);
  CHECK(size("--size=1t") == kTiB);
  CHECK(size("--kb_base=1000 --size=4k") == 4000);
  CHECK(size("--kb_base=1000 --size=4ki") == 4096);
  CHECK(size("--kb_base=1000 --size=4kib") == 4096);
}

TEST_CASE("fio job: times are seconds unless they say otherwise") {
  const auto runtime = [](std::string_view text) {
    return command(fmt::format("--name=x --size=1m --runtime={}", text)).jobs[0].runtime_ns;
  };
  CHECK(runtime("10") == 10'000'000'000);
  CHECK(runtime("2m") == 120'000'000'000);
  CHECK(runtime("5ms") == 5'000'000);
  CHECK(runtime("7us") == 7'000);
  CHECK(runtime("1d") == 86'400'000'000'000);
}

TEST_CASE("fio job: buffer patterns come in the order written, numbers little-endian") {
  const auto pattern = [](std::string_view text) {
    return command(fmt::format("--name=x --size=1m --rw=write --buffer_pattern={}", text)).jobs[0].io.content.pattern;
  };
  const auto bytes = [](std::initializer_list<int> values) {
    std::vector<std::byte> result;
    for (const int value : values) result.push_back(static_cast<std::byte>(value));
    return result;
  };
  CHECK(pattern("0xdeadbeef") == bytes({0xde, 0xad, 0xbe, 0xef}));
  CHECK(pattern("0xabc") == bytes({0x0a, 0xbc}));
  CHECK(pattern("258") == bytes({2, 1}));
  CHECK(pattern("0") == bytes({0}));
  CHECK(pattern("'\"ab\"'") == bytes({'a', 'b'}));
}

TEST_CASE("fio job: sizes per direction, ranges and splits") {
  const auto access = [](std::string_view text) {
    return command(fmt::format("--name=x --size=1m --rw=randrw {}", text)).jobs[0].io.access;
  };
  CHECK(access("--bs=4k,8k").block_sizes[1].min == 8192);
  CHECK(access("--bs=,8k").block_sizes[0].min == 4096);
  CHECK(access("--bs=16k").block_sizes[1].min == 16384);
  CHECK(access("--bsrange=4k-64k").block_sizes[0] == FioBlockSizes{4096, 65536, {}});
  CHECK(access("--bssplit=4k/50:8k/30:128k/20").block_sizes[0] ==
        FioBlockSizes{4096, 131072, {{4096, 50}, {8192, 30}, {131072, 20}}});
  CHECK(access("--bssplit=4k/10:64k/50:32k/").block_sizes[1].split[2] == FioSplit{32768, {}});
  CHECK(access("--rwmixwrite=30").rwmixread == 70);
  CHECK(access("--random_distribution=zipf:1.2").distribution == FioDistribution(FioZipf{1.2, {}}));
  CHECK(access("--norandommap --random_distribution=zoned:60/10:40/90").distribution ==
        FioDistribution(FioZones{{{60, 10}, {40, 90}}}));
  CHECK(access("--rw=randread:8").sequence == 8);
  CHECK(access("--rw=write:12k").sequence == 12288);
}

TEST_CASE("fio job: groups end at a stonewall or a new_group, copies count offsets up") {
  const FioJobs jobs = command(
      "--size=1m --name=a --numjobs=2 --offset_increment=64k --offset=4k --name=b --name=c --stonewall --numjobs=2 "
      "--name=d --new_group");
  REQUIRE(jobs.jobs.size() == 6);
  CHECK(jobs.jobs[0].io.access.offset == 4096);
  CHECK(jobs.jobs[1].io.access.offset == 4096 + 65536);
  const std::uint32_t groups[] = {0, 0, 0, 1, 1, 2};
  for (std::size_t i = 0; i < 6; ++i) CHECK(jobs.jobs[i].group == groups[i]);
  CHECK(jobs.jobs[3].stonewall);
  CHECK_FALSE(jobs.jobs[4].stonewall);
  CHECK(jobs.jobs[4].section == 2);
}

TEST_CASE("fio job: file names follow directory and filename_format") {
  CHECK(command("--name=a --size=1m --directory=/d").jobs[0].file_name == "/d/a.0.0");
  CHECK(command("--name=a --size=1m --directory=/d --filename=f").jobs[0].file_name == "/d/f");
  CHECK(command("--name=a --size=1m --numjobs=2 '--filename_format=file$jobnum'").jobs[1].file_name == "file1");
}

TEST_CASE("fio job: environment variables are replaced in job files") {
  FioParse parse;
  parse.environment = {{"SIZE", "2m"}, {"DIR", "/tmp"}};
  const auto jobs = parse_fio_file("[j]\nsize=${SIZE}\ndirectory=${DIR}/x\n", "f", parse);
  REQUIRE(jobs.has_value());
  CHECK(jobs->jobs[0].io.access.size == 2 * kMiB);
  CHECK(jobs->jobs[0].file_name == "/tmp/x/j.0.0");
  CHECK(file_error("[j]\nsize=${SIZE}\n") == "test.fio:2: environment variable 'SIZE' has no value");
}

TEST_CASE("fio job: options without effect are accepted and reported") {
  const FioJobs jobs = command("--name=x --size=1m --thread --lat_percentiles=1 --write_bw_log=log");
  CHECK(jobs.without_effect == std::vector<std::string>{"lat_percentiles", "thread", "write_bw_log"});
}

TEST_CASE("fio job: every option is simulated, without effect or refused, and only one of them") {
  std::vector<std::string_view> all = fio_options_simulated();
  for (const auto& more : {fio_options_without_effect(), fio_options_refused()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  for (const std::string_view name : fio_options_refused()) {
    CHECK(command_error(fmt::format("--name=x --size=1m --{}=1", name)).find(name) != std::string::npos);
  }
}

TEST_CASE("fio job: bad options get one line that names the place, the value and what would be right") {
  struct Bad {
    std::string_view text;
    std::string_view message;
  };
  const Bad files[] = {
      {"", "test.fio: no jobs are defined"},
      {"[global]\nrw=read\n", "test.fio: no jobs are defined"},
      {"size=1m\n", "test.fio:1: an option stands before the first [section]"},
      {"[j\nsize=1m\n", "test.fio:1: section '[j' does not end with ]"},
      {"[]\n", "test.fio:1: the section has no name"},
      {"[j]\nsize\n", "test.fio:2: option size needs a value"},
      {"[j]\nsize=\n", "test.fio:2: option size: '' is not a number"},
      {"[j]\nsize=1x\n",
       "test.fio:2: option size: '1x' has an unknown unit: k, m, g, t, p, also with b or i, are right"},
      {"[j]\nsize=-1\n", "test.fio:2: option size: '-1' is not a number"},
      {"[j]\nsize=50%\n", "test.fio:2: option size: '50%': percentages of a file need its size; give bytes"},
      {"[j]\nsize=99999999999999999999\n", "test.fio:2: option size: '99999999999999999999' is above 2^64 - 1"},
      {"[j]\nsize=20000000000g\n", "test.fio:2: option size: '20000000000g' is above 2^64 - 1"},
      {"[j]\nrw=write\n", "test.fio:1: [j]: size is missing or 0"},
      {"[j]\nrw=sideways\n",
       "test.fio:2: option rw: 'sideways' is none of read, write, randread, randwrite, rw, randrw"},
      {"[j]\nrw=write:-4k\n", "test.fio:2: option rw: 'write:-4k': backward I/O is not simulated"},
      {"[j]\n\n\nfrobnicate=1\n",
       "test.fio:4: option frobnicate is unknown; the documentation lists those that are known"},
      {"[j]\nrate=1m\n", "test.fio:2: option rate is not simulated and would change the result; remove it"},
      {"[j]\nsize=1m\nnumjobs=1000000000\n", "test.fio:1: [j]: more than 4096 jobs"},
      {"[j]\nsize=1m\nnumjobs=99999999999\n", "test.fio:3: option numjobs: 99999999999 is too large"},
      {"[j]\nsize=1m\nnumjobs=0\n", "test.fio:1: [j]: numjobs is 0; 1 or more is right"},
      {"[j]\nsize=1m\ntime_based\n", "test.fio:1: [j]: time_based needs a runtime"},
      {"[j]\nsize=1m\nioengine=libaio\niodepth=1000000000\n",
       "test.fio:1: [j]: iodepth 1000000000 is not between 1 and 65536"},
      {"[j]\nsize=1m\nbs=0\n", "test.fio:1: [j]: block size 0-0 is not a range of 1 byte or more"},
      {"[j]\nsize=1m\nverify=crc32c\n", "test.fio:1: [j]: verify's reading phase is not simulated: add do_verify=0"},
      {"[j]\nnrfiles=16\n", "test.fio:2: option nrfiles: 16 files per job are not simulated; 1 is"},
      {"[j]\nbuffer_pattern=0xzz\n", "test.fio:2: option buffer_pattern: pattern '0xzz' is not hexadecimal"},
      {"[j]\nrandom_distribution=zipf:nan\n", "test.fio:2: option random_distribution: 'nan' is not a number"},
      {"[j]\nsize=1m\nthread=\x01\n", "test.fio:3: is not text"},
      {"[j]\ninclude other.fio\n", "test.fio:2: include is not supported"},
      {"[j]\nsize=${\n", "test.fio:2: '${' without '}'"},
  };
  for (const Bad& bad : files) CHECK(file_error(bad.text) == bad.message);
  CHECK(command_error("fio job.fio") == "command line: 'job.fio' is not an option; job files are read separately");
  CHECK(command_error("fio --name=x --size='1m") == "command line: a quote is not closed");
  CHECK(command_error("fio") == "command line: no jobs are defined");
  CHECK(command_error("fio --name=x") == "command line: job x: size is missing or 0");
  CHECK(command_error("--name=x --bs=4q") ==
        "command line: option bs: '4q' has an unknown unit: k, m, g, t, p, also with b or i, are right");
}

TEST_CASE("fio job: huge lines, huge files and binary garbage end in one short error") {
  const std::string line(10 << 20, 'x');
  CHECK(file_error(line) == "test.fio: 10485760 bytes are more than a job file may have, 1 MiB");
  CHECK(file_error("[j]\nname=" + line.substr(0, 900000)).size() < 200);
  CHECK(file_error("[" + line.substr(0, 900000) + "]\n").size() < 200);
  CHECK(file_error("[j]\nbssplit=" + std::string(500000, ':')).size() < 200);
  std::string sections;
  for (int i = 0; i < 100000; ++i) sections += "[j]\n";
  CHECK(file_error(sections) == "test.fio:4097: more than 4096 sections");
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    std::string garbage = "[j]\n";
    for (int k = 0; k < 400; ++k) garbage += static_cast<char>(random.below(256));
    file_error(garbage);
  }
}

TEST_CASE("fio job: a valid file damaged at random gives jobs or an error, never a crash") {
  const std::string_view good =
      "[global]\nrw=randrw\nbssplit=4k/50:8k/30:128k/20\nsize=16m\nrandom_distribution=zipf:1.2:0.3\nba=4k\n"
      "buffer_pattern=0xdeadbeef\niodepth=4\nioengine=libaio\n[a]\nnumjobs=2\n[b]\nrw=write:4k\nruntime=5ms\n";
  Random random(2);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text(good);
    for (std::uint64_t k = 0; k <= random.below(3); ++k) {
      const std::uint64_t at = random.below(text.size());
      constexpr std::string_view kBytes = "0123456789kmg%:/,=-[]\nx. ";
      random.below(2) == 0 ? text.erase(at, 1) : (text[at] = kBytes[random.below(kBytes.size())], text);
    }
    accepted += parse_fio_file(text, "f").has_value();
  }
  CHECK(accepted > 100);
  CHECK(accepted < 19900);
}
