// Experiment btrfs-f2fs-fio: what its mechanisms explain, and which state of compression ran.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "blkpress/sim/experiment.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress::sim;

namespace {

const std::string kData = std::string(BLKPRESS_SOURCE_DIR) + "/data";

blkpress::Result<ReplayResult> replay_without(const std::string& mechanism, const std::string& data = kData) {
  ReplayOptions options;
  options.data_directory = data;
  options.experiments = {"btrfs-f2fs-fio"};
  if (!mechanism.empty()) options.without = {mechanism};
  return replay(options);
}

// The simulated number of a figure; of "0/2332" the writes.
double simulated(const ReplayResult& result, const std::string& config, const std::string& metric) {
  for (const Figure& figure : result.figures) {
    if (figure.config != config || figure.metric != metric || !figure.simulated) continue;
    const std::string text = figure.simulated->substr(figure.simulated->find('/') + 1);
    return parse_number(text).value();
  }
  FAIL(config << " has no " << metric);
  return 0;
}

const ReplayResult& base() {
  static const ReplayResult result = [] {
    auto replayed = replay_without("");
    REQUIRE(replayed);
    return std::move(*replayed);
  }();
  return result;
}

bool states(const ReplayResult& result, const std::string& text) {
  return std::any_of(result.statements.begin(), result.statements.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("btrfs-f2fs-fio: the report says that no codec ran, and why") {
  CHECK(states(base(), "Btrfs + zstd: Btrfs mounted with compress=zstd:3, which compresses nothing here"));
  CHECK(states(base(), "F2FS + zstd: F2FS with zstd:1 only named"));
  CHECK(states(base(), "F2FS + lzo: F2FS with lzo only named"));
  // So the three runs are one to the model.
  for (const char* metric : {"fio.runtime", "fio.cpu_sys", "diskstat.nvme0n1.ios", "diskstat.dm-2.util"}) {
    CHECK(simulated(base(), "F2FS + zstd", metric) == simulated(base(), "F2FS", metric));
    CHECK(simulated(base(), "F2FS + lzo", metric) == simulated(base(), "F2FS", metric));
  }
}

TEST_CASE("btrfs-f2fs-fio: mechanism flusher: without it the device is idle while fio runs") {
  const auto without = replay_without("flusher");
  REQUIRE(without);
  CHECK(simulated(*without, "F2FS", "diskstat.nvme0n1.ios") == 0);
  CHECK(simulated(*without, "F2FS", "fio.runtime") < 0.95 * simulated(base(), "F2FS", "fio.runtime"));
}

TEST_CASE("btrfs-f2fs-fio: mechanism flusher-wait: without it F2FS takes the CPU time, and writes back all the same") {
  const auto without = replay_without("flusher-wait");
  REQUIRE(without);
  const double cpu = simulated(*without, "F2FS", "fio.cpu_usr") + simulated(*without, "F2FS", "fio.cpu_sys");
  CHECK(cpu == Approx(100).margin(0.1));
  CHECK(simulated(*without, "F2FS", "diskstat.nvme0n1.ios") > 0.9 * simulated(base(), "F2FS", "diskstat.nvme0n1.ios"));
}

TEST_CASE("btrfs-f2fs-fio: mechanism reservation: without it Btrfs is nearly as fast as F2FS") {
  const auto without = replay_without("reservation");
  REQUIRE(without);
  CHECK(simulated(*without, "Btrfs + zstd", "fio.runtime") < 0.35 * simulated(base(), "Btrfs + zstd", "fio.runtime"));
  CHECK(simulated(*without, "Btrfs + zstd", "fio.runtime") < 1.5 * simulated(base(), "F2FS", "fio.runtime"));
  CHECK(simulated(*without, "Btrfs + zstd", "fio.ctx") < 0.01 * simulated(base(), "Btrfs + zstd", "fio.ctx"));
}

TEST_CASE("btrfs-f2fs-fio: mechanism commit: without it each half second of Btrfs leaves a sample") {
  const auto without = replay_without("commit");
  REQUIRE(without);
  const auto missing = [](const ReplayResult& result) {
    const double half_seconds = simulated(result, "Btrfs + zstd", "fio.runtime") / 500;
    return half_seconds - simulated(result, "Btrfs + zstd", "fio.bw_samples.n");
  };
  CHECK(missing(*without) < 1);
  CHECK(missing(base()) > 2);
}

TEST_CASE("btrfs-f2fs-fio: mechanism device-mapper: without it both devices count the same I/Os") {
  const auto without = replay_without("device-mapper");
  REQUIRE(without);
  CHECK(simulated(*without, "F2FS", "diskstat.dm-2.ios") == simulated(*without, "F2FS", "diskstat.nvme0n1.ios"));
  CHECK(simulated(base(), "F2FS", "diskstat.nvme0n1.ios") > 3 * simulated(base(), "F2FS", "diskstat.dm-2.ios"));
}

namespace {

// The experiment with a piece of text replaced.
class Changed {
 public:
  Changed(const std::string& file, const std::string& text, const std::string& by) : path_(scratch_.path("data")) {
    for (const char* folder : {"experiments", "hosts", "devices"}) {
      std::filesystem::create_directories(path_ / folder);
      std::filesystem::copy(kData + "/" + folder, path_ / folder, std::filesystem::copy_options::recursive);
    }
    const auto path = path_ / "experiments/btrfs-f2fs-fio" / file;
    std::ifstream in(path);
    std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto at = content.find(text);
    REQUIRE(at != std::string::npos);
    content.replace(at, text.size(), by);
    std::ofstream(path) << content;
  }
  [[nodiscard]] std::string message() const {
    const auto result = replay_without("", path_.string());
    REQUIRE(!result);
    return result.error().message;
  }

 private:
  blkpress::test::ScratchDirectory scratch_;
  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("btrfs-f2fs-fio: a run that would compress is refused by name") {
  const Changed f2fs("experiment.toml", "compress_algorithm = \"zstd\"",
                     "compress_algorithm = \"zstd\", compress_extension = \"*\"");
  CHECK(
      f2fs.message().ends_with("job bench: compress_extension=* would compress with zstd:1; the time of that is not "
                               "simulated on filesystem f2fs"));
  const Changed btrfs("randwrite.fio", "iodepth=64", "iodepth=64\nfallocate=none");
  CHECK(
      btrfs.message().ends_with("job bench: compress=zstd:3 would compress what is written without fallocate; the "
                                "time of that is not simulated on filesystem btrfs"));
}

TEST_CASE("btrfs-f2fs-fio: what the page cache cannot do is refused by name") {
  CHECK(Changed("randwrite.fio", "iodepth=64", "iodepth=64\ndirect=1")
            .message()
            .ends_with("job bench: direct=1 is not simulated on filesystem btrfs"));
  CHECK(Changed("randwrite.fio", "rw=randwrite", "rw=randread")
            .message()
            .ends_with("job bench: reads are not simulated on filesystem btrfs"));
  CHECK(Changed("randwrite.fio", "bs=4k\nba=4k", "bs=2k\nba=2k")
            .message()
            .ends_with("job bench: bs=2048 is not a multiple of the page of 4096 bytes"));
  CHECK(Changed("experiment.toml", "filesystem = \"f2fs\"", "filesystem = \"ext4\"")
            .message()
            .ends_with("filesystem 'ext4' is unknown; there are zfs, btrfs, f2fs"));
  CHECK(Changed("experiment.toml", "flush_us_per_page", "flush_us").message().find("unknown field flush_us") !=
        std::string::npos);
  CHECK(Changed("experiment.toml", "reserved_pages = 281000", "reserved_pages = 0")
            .message()
            .find("reserved_pages = 0 is not a number from 1 to") != std::string::npos);
  CHECK(Changed("experiment.toml", "btrfs = { compress = \"zstd\" }", "btrfs = { compress = \"lz4\" }")
            .message()
            .find("btrfs: ") != std::string::npos);
}
