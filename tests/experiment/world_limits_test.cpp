// What a world refuses, and what may stand at the level of a run or of the experiment.
#include <filesystem>
#include <string>

#include "blkpress/sim/experiment.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress::sim;
using blkpress::test::ScratchDirectory;

namespace {

// The data folder with one experiment, made of the parts given.
class OneExperiment {
 public:
  OneExperiment() {
    const std::filesystem::path data = std::string(BLKPRESS_SOURCE_DIR) + "/data";
    for (const char* folder : {"hosts", "devices"}) {
      std::filesystem::copy(data / folder, scratch_.path(folder), std::filesystem::copy_options::recursive);
    }
    scratch_.write("experiments/x/published.csv",
                   "part,config,metric,published,unit,class,bar,value,rule,headline,note\n");
    scratch_.write("experiments/x/job.fio",
                   "[job]\nrw=write\nioengine=psync\nbs=1m\nsize=64m\nnumjobs=2\ngroup_reporting\n");
  }

  void write(const std::string& file, const std::string& text) const { scratch_.write(file, text); }

  // zfs and zfs_write: lines of those tables; run: lines of the run.
  [[nodiscard]] blkpress::Result<ReplayResult> replay_of(const std::string& zfs, const std::string& zfs_write,
                                                         const std::string& run) const {
    scratch_.write("experiments/x/experiment.toml",
                   "title = \"t\"\nsystem = \"s\"\n[world]\nhost = \"tencent-vps.toml\"\n"
                   "device = \"tencent-cloud-50g.toml\"\n[zfs]\nversion = \"2.1\"\nashift = \"12\"\n" +
                       zfs + "[zfs_write]\n" + zfs_write + "[[run]]\nname = \"r\"\npart = \"p\"\nconfig = \"c\"\n" +
                       run);
    ReplayOptions options;
    options.data_directory = scratch_.path();
    return replay(options);
  }

  [[nodiscard]] std::string message(const std::string& zfs, const std::string& zfs_write,
                                    const std::string& run) const {
    const auto result = replay_of(zfs, zfs_write, run);
    REQUIRE(!result);
    std::string text = result.error().message;
    const std::string path = scratch_.path();
    for (auto at = text.find(path); at != std::string::npos; at = text.find(path))
      text.replace(at, path.size(), "DATA");
    return text;
  }

 private:
  ScratchDirectory scratch_;
};

const std::string kFio = "workload = \"fio\"\nsettings = { job = \"job.fio\", fio_version = \"3.29\" }\n";
const std::string kDd =
    "workload = \"dd\"\nsettings = { source = \"zero\", bs = 1048576, count = 64, cpu_us_per_block = 100 }\n";

}  // namespace

TEST_CASE("experiment: a property means the same for a run as for the experiment") {
  const OneExperiment data;
  const auto above = data.replay_of("recordsize = \"16K\"\n", "", kFio + "zfs = { compression = \"lz4\" }\n");
  const auto below = data.replay_of("", "", kFio + "zfs = { compression = \"lz4\", recordsize = \"16K\" }\n");
  REQUIRE(above);
  REQUIRE(below);
  CHECK(above->digest == below->digest);
  CHECK(above->digest != data.replay_of("", "", kFio + "zfs = { compression = \"lz4\" }\n")->digest);
}

TEST_CASE("experiment: worlds that cannot be are refused, with what would be right") {
  const OneExperiment data;
  CHECK(data.message("recordsize = \"1M\"\n", "dirty_data_max_mib = 0.5\n", kDd) ==
        "dirty_data_max of 524288 bytes is less than two records of 1048576");
  CHECK(data.message("", "rotational = \"maybe\"\n", kDd) ==
        "DATA/experiments/x/experiment.toml: rotational = maybe is neither yes nor no");
  CHECK(data.message("", "copy_us = [[0, 1e9, 1.0]]\n", kDd).ends_with("copy_us: not [low, high, probability]"));
}

TEST_CASE("experiment: runs that would not end are refused") {
  const OneExperiment data;
  CHECK(data.message("", "",
                     "workload = \"dd\"\nsettings = { source = \"zero\", bs = 1, count = 1099511627776, "
                     "cpu_us_per_block = 1000000 }\nzfs = { recordsize = \"1M\" }\n") ==
        "the simulation takes more than 100 days of virtual time");
  CHECK(data.message("recordsize = \"512\"\n", "",
                     "workload = \"dd\"\nsettings = { source = \"zero\", bs = 1, count = 1099511627776, "
                     "cpu_us_per_block = 1 }\n") ==
        "a file of 2147483648 records of 512 bytes is more than the 20000000 that are simulated");
  data.write("experiments/x/job.fio", "[job]\nrw=write\nioengine=psync\nbs=128k\nsize=1t\nnumjobs=4096\n");
  CHECK(data.message("", "", kFio) ==
        "the jobs' files have 34359738368 records, more than the 20000000 that are simulated");
}

TEST_CASE("experiment: numbers that leave the range of virtual time end the run with a line") {
  const OneExperiment data;
  const std::string too_long = "the simulation takes more than 100 days of virtual time";
  for (const char* rate : {"1e-9", "1e-300"}) {
    data.write("devices/tencent-cloud-50g.toml", std::string("kind = \"lanes\"\nmb_s = ") + rate + "\n");
    CHECK(data.message("", "", kFio + "zfs = { compression = \"off\" }\n") == too_long);
  }
  data.write("devices/tencent-cloud-50g.toml", "kind = \"cloud\"\nsize_gb = 50\nmb_s_base = 1e-300\n");
  CHECK(data.message("", "", kFio + "zfs = { compression = \"off\" }\n") == too_long);
}

TEST_CASE("experiment: a key of a hundred thousand parts is refused before it is parsed") {
  const OneExperiment data;
  std::string key = "a";
  for (int i = 0; i < 50'000; ++i) key += ".a";
  data.write("devices/tencent-cloud-50g.toml", key + " = 1\n");
  CHECK(data.message("", "", kFio) == "DATA/devices/tencent-cloud-50g.toml:1: a line with more than 1000 dots");
}

TEST_CASE("experiment: files that are no files are refused") {
  const OneExperiment data;
  CHECK(data.message("", "", "workload = \"fio\"\nsettings = { job = \"/dev/zero\" }\n") ==
        "job file /dev/zero is not a regular file");
}

TEST_CASE("experiment: what is simulated grows in proportion to the I/Os") {
  const OneExperiment data;
  for (const char* rw : {"write", "read", "randread"}) {
    std::uint64_t events[2] = {};
    for (const int factor : {1, 4}) {
      data.write("experiments/x/job.fio",
                 std::string("[job]\nrw=") + rw +
                     "\nioengine=psync\nbs=128k\nnumjobs=2\nsize=" + std::to_string(256 * factor) + "m\n");
      const auto result = data.replay_of("", "", kFio + "zfs = { compression = \"lz4\" }\n");
      REQUIRE(result);
      events[factor / 4] = result->events;
    }
    INFO(rw << ": " << events[0] << " events, " << events[1] << " for four times the I/Os");
    CHECK(events[1] < 5 * events[0]);
  }
}

TEST_CASE("experiment: the read side's settings are checked") {
  const OneExperiment data;
  const auto message = [&](const std::string& line) { return data.message("", "[zfs_read]\n" + line + "\n", kDd); };
  CHECK(message("hit_us = [[0, 1]]").ends_with("hit_us: the first quantile is not 0, or the last not 1"));
  CHECK(message("hit_us = [[0, 2], [1, 1]]").ends_with("hit_us: quantiles must rise and times must not fall"));
  CHECK(message("hit_us = [[0, 1], [1, 1e300]]").ends_with("hit_us: not [quantile, us]"));
  CHECK(message("scattered_share = 1.5").ends_with("scattered_share = 1.5 is not a number from 0 to 1"));
  CHECK(message("arc_max_mib = 0").ends_with("arc_max_mib = 0 is not a number from 1 to 100000000"));
}

TEST_CASE("experiment: jobs that would never end are stopped") {
  const OneExperiment data;
  data.write("experiments/x/job.fio", "[job]\nrw=read\nioengine=psync\nbs=128k\nsize=128k\ntime_based\nruntime=1h\n");
  CHECK(data.message("", "", kFio).ends_with("job.fio: the jobs issue more than 1000000 I/Os at the same moment: they take no time"));
  data.write("experiments/x/job.fio", "[job]\nrw=write\nioengine=psync\nbs=4k\nsize=64m\nloops=1000000000\n");
  CHECK(data.message("", "", kFio).ends_with("job.fio: the jobs issue more than the 40000000 I/Os that are simulated"));
  data.write("experiments/x/job.fio", "[job]\nrw=read\nioengine=psync\nbs=128k\nsize=128k\ntime_based\n");
  CHECK(data.message("", "", kFio).find("time_based") != std::string::npos);
}
