// The experiments of data/experiments: their files, their replay, and what must hold between published figures.
#include "blkpress/sim/experiment.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "blkpress/sim/fio_statistics.hpp"
#include "support/catch.hpp"
#include "support/scratch_directory.hpp"

using namespace blkpress::sim;

namespace {

const std::string kData = std::string(BLKPRESS_SOURCE_DIR) + "/data";

const ReplayResult& all() {
  static const ReplayResult result = [] {
    ReplayOptions options;
    options.data_directory = kData;
    auto replayed = replay(options);
    REQUIRE(replayed);
    return std::move(*replayed);
  }();
  return result;
}

// Published values of one write run of document vps-zfs-fio, by metric.
std::map<std::string, std::string> published(const std::string& config) {
  std::map<std::string, std::string> values;
  for (const Figure& figure : all().figures) {
    if (figure.experiment == "vps-zfs-fio" && figure.run() == "seqwrite " + config)
      values[figure.metric] = figure.published;
  }
  return values;
}

double number(const std::map<std::string, std::string>& values, const std::string& metric) {
  const auto found = values.find(metric);
  REQUIRE(found != values.end());
  return parse_number(found->second).value();
}

// A copy of the data folder that a test may damage.
class DamagedData {
 public:
  DamagedData() : path_(scratch_.path("data")) {
    std::filesystem::copy(kData, path_, std::filesystem::copy_options::recursive);
  }
  void replace(const std::string& file, const std::string& text, const std::string& by) const {
    const auto path = path_ / file;
    std::ifstream in(path);
    std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    const auto at = content.find(text);
    REQUIRE(at != std::string::npos);
    content.replace(at, text.size(), by);
    std::ofstream(path) << content;
  }
  [[nodiscard]] std::string message() const {
    ReplayOptions options;
    options.data_directory = path_.string();
    const auto result = replay(options);
    REQUIRE(!result);
    std::string text = result.error().message;
    const auto at = text.find(path_.string());
    if (at != std::string::npos) text.replace(at, path_.string().size(), "DATA");
    return text;
  }

 private:
  blkpress::test::ScratchDirectory scratch_;
  std::filesystem::path path_;
};

// What a document says in passing, of nothing that it measured: listed with its reason, never judged.
bool is_remark(const Figure& figure) { return figure.bar.kind == Bar::Kind::none && !figure.note.empty(); }

}  // namespace

TEST_CASE("replay: every published figure is simulated, or its class says why not") {
  std::size_t missing = 0;
  for (const Figure& figure : all().figures) {
    if (figure.simulated || figure.figure_class == FigureClass::not_modelled || is_remark(figure)) continue;
    ++missing;
    UNSCOPED_INFO(figure.experiment << " " << figure.config << " " << figure.metric);
  }
  CHECK(missing == 0);
}

TEST_CASE("replay: figures that are true by definition are reproduced as printed") {
  std::size_t wrong = 0;
  for (const Figure& figure : all().figures) {
    const bool by_definition =
        figure.figure_class == FigureClass::identity || figure.figure_class == FigureClass::config;
    if (!by_definition || figure.pass == true || is_remark(figure)) continue;
    ++wrong;
    UNSCOPED_INFO(figure.experiment << " " << figure.config << " " << figure.metric << " " << figure.published << " / "
                                    << figure.simulated.value_or("-"));
  }
  CHECK(wrong == 0);
}

TEST_CASE("replay: every calibrated figure lies inside its bar, or its note says what stands against it") {
  for (const Figure& figure : all().figures) {
    if (figure.figure_class != FigureClass::calibration || !figure.note.empty()) continue;
    INFO(figure.experiment << " " << figure.config << " " << figure.metric << " " << figure.published << " / "
                           << figure.simulated.value_or("-"));
    CHECK(figure.pass == true);
  }
}

TEST_CASE("replay: every miss of a prediction has its reason beside it, and every figure that is not simulated") {
  for (const Figure& figure : all().figures) {
    const bool evidence =
        figure.figure_class == FigureClass::prediction || figure.figure_class == FigureClass::prediction_weak;
    const bool needs_reason = (evidence && figure.pass == false) || !figure.simulated;
    if (!needs_reason || !figure.note.empty()) continue;
    FAIL_CHECK(figure.experiment << " " << figure.run() << " " << figure.metric << " has no note");
  }
}

TEST_CASE("replay: at least three quarters of the predictions lie inside their bars, of 1109 figures in all") {
  std::size_t predictions = 0;
  std::size_t inside = 0;
  std::size_t headlines = 0;
  for (const Figure& figure : all().figures) {
    headlines += figure.headline ? 1 : 0;
    if (figure.figure_class != FigureClass::prediction) continue;
    ++predictions;
    inside += figure.pass == true ? 1 : 0;
  }
  CHECK(all().figures.size() == 1109);
  CHECK(headlines == 16);
  CHECK(predictions == 190 - 8);  // eight are calibrations here, see docs/replays.md
  CHECK(4 * inside >= 3 * predictions);
}

TEST_CASE("replay: the same seed gives the same figures and digest, another one another digest") {
  ReplayOptions options;
  options.data_directory = kData;
  options.experiments = {"vps-zfs-fio"};
  const auto first = replay(options);
  const auto again = replay(options);
  options.seed = 2;
  const auto other = replay(options);
  REQUIRE((first && again && other));
  CHECK(first->digest == again->digest);
  CHECK(first->digest != other->digest);
  for (std::size_t i = 0; i < first->figures.size(); ++i)
    CHECK(first->figures[i].simulated == again->figures[i].simulated);
}

TEST_CASE("published figures: derived ones follow from their parents by the formulas that the replay uses") {
  for (const char* config : {"lz4", "gzip", "zstd"}) {
    const auto values = published(config);
    const double seconds = number(values, "fio.runtime") / 1e3;
    constexpr double kBytes = 10.0 * 1024 * 1024 * 1024;
    // fio prints the integer part of IOPS, and rates in four characters.
    CHECK(std::floor(81920 / seconds) == number(values, "fio.iops"));
    CHECK(values.at("fio.group.run_max") == values.at("fio.runtime"));
    CHECK(number(values, "fio.bw") == Approx(kBytes / seconds / 1048576).epsilon(0.005));
    CHECK(number(values, "fio.bw_decimal") == Approx(kBytes / seconds / 1e6).epsilon(0.005));
    // Little's law: ten jobs, each with one I/O outstanding nearly all the time.
    const double outstanding = number(values, "fio.clat.avg") * 1e-6 * 81920 / (10 * seconds);
    CHECK(outstanding > 0.98);
    CHECK(outstanding < 1);
    // A sample each half second of each job.
    CHECK(number(values, "fio.bw_samples.n") * 0.5 == Approx(10 * seconds).epsilon(0.02));
  }
}

TEST_CASE("replay: Little's law and the number of samples hold for the simulated runs too") {
  for (const char* config : {"lz4", "gzip", "zstd"}) {
    std::map<std::string, std::string> values;
    for (const Figure& figure : all().figures) {
      if (figure.experiment == "vps-zfs-fio" && figure.run() == std::string("seqwrite ") + config && figure.simulated)
        values[figure.metric] = *figure.simulated;
    }
    const double seconds = number(values, "fio.runtime") / 1e3;
    const double outstanding = number(values, "fio.clat.avg") * 1e-6 * 81920 / (10 * seconds);
    CHECK(outstanding > 0.97);
    CHECK(outstanding < 1);
    CHECK(number(values, "fio.bw_samples.n") * 0.5 == Approx(10 * seconds).epsilon(0.02));
  }
}

TEST_CASE("replay: mechanisms that are left out change what the document attributes to them") {
  const auto runtime = [](const std::string& mechanism, const std::string& run, const std::string& metric) {
    ReplayOptions options;
    options.data_directory = kData;
    options.experiments = {"vps-zfs-fio"};
    if (!mechanism.empty()) options.without = {mechanism};
    const auto result = replay(options);
    REQUIRE(result);
    for (const Figure& figure : result->figures) {
      if (figure.run() == run && figure.metric == metric) return parse_number(*figure.simulated).value();
    }
    return 0.0;
  };
  const std::string lz4 = "seqwrite lz4";
  CHECK(runtime("single-compress-thread", "seqwrite gzip", "fio.runtime") <
        0.6 * runtime("", "seqwrite gzip", "fio.runtime"));
  CHECK(runtime("write-delay", lz4, "fio.clat.stdev") > 3 * runtime("", lz4, "fio.clat.stdev"));
  CHECK(runtime("metadata-phase", lz4, "fio.clat.p99") < 0.9 * runtime("", lz4, "fio.clat.p99"));
  CHECK(runtime("burst-credit", lz4, "fio.runtime") > 1.01 * runtime("", lz4, "fio.runtime"));
  // Reads. Aggregation makes few long stalls of many short ones; without prefetch every read waits its turn; without
  // promotion the files are served one after another; the resident head is what is not read.
  const std::string read = "seqread lz4";
  CHECK(runtime("read-aggregation", read, "fio.ctx") > 3 * runtime("", read, "fio.ctx"));
  CHECK(runtime("prefetch", read, "fio.lat_hist.le_10msec") > 80);
  CHECK(runtime("promotion", read, "fio.clat.stdev") > 5 * runtime("", read, "fio.clat.stdev"));
  CHECK(runtime("resident-head", read, "fio.runtime") > 1.08 * runtime("", read, "fio.runtime"));
  CHECK(runtime("scatter", read, "fio.clat.p90") < 0.5 * runtime("", read, "fio.clat.p90"));
}

TEST_CASE("experiment files: each kind of damage gets a line with file and line number") {
  SECTION("a bar that is none") {
    const DamagedData data;
    data.replace("experiments/vps-zfs-fio/published.csv", "percent,2", "percents,2");
    CHECK(data.message() ==
          "DATA/experiments/vps-zfs-fio/published.csv:29: bar percents is none of none, percent, absolute, buckets, "
          "equal, range");
  }
  SECTION("a class that is none") {
    const DamagedData data;
    data.replace("experiments/vps-zfs-fio/published.csv", "identity,equal", "identical,equal");
    CHECK(data.message().starts_with("DATA/experiments/vps-zfs-fio/published.csv:21: class 'identical' is not one of"));
  }
  SECTION("a row that is cut off") {
    const DamagedData data;
    data.replace("experiments/vps-zfs-fio/published.csv", ",environment,cpu.clock,2.50,GHz", ",environment");
    CHECK(data.message() == "DATA/experiments/vps-zfs-fio/published.csv:3: 8 fields where the header has 11");
  }
  SECTION("a field that nobody knows") {
    const DamagedData data;
    data.replace("experiments/vps-zfs-fio/experiment.toml", "timer_slack_us", "timer_slack");
    CHECK(data.message().find("experiment.toml:") != std::string::npos);
    CHECK(data.message().find("unknown field timer_slack; known are ") != std::string::npos);
  }
  SECTION("a number out of range") {
    const DamagedData data;
    data.replace("experiments/vps-zfs-fio/experiment.toml", "dirty_data_max_mib = 391", "dirty_data_max_mib = -1");
    CHECK(data.message().ends_with("dirty_data_max_mib = -1 is not a number from 0.5 to 1000000"));
  }
  SECTION("a host that does not exist") {
    const DamagedData data;
    data.replace("experiments/vps-zfs-fio/experiment.toml", "host = \"tencent-vps.toml\"", "host = \"nowhere.toml\"");
    CHECK(data.message().find("hosts/nowhere.toml") != std::string::npos);
  }
  SECTION("a setting that the workload does not have") {
    const DamagedData data;
    data.replace("experiments/freebsd-zfs-dd/experiment.toml", "\"dd.bs\" = 1024", "\"dd.block\" = 1024");
    CHECK(data.message().ends_with("run 'dd urandom none': bs is missing, a whole number from 1 to 1073741824"));
  }
  SECTION("text that is no TOML") {
    const DamagedData data;
    data.replace("experiments/vps-zfs-fio/experiment.toml", "[world]", "[world");
    CHECK(data.message().starts_with("DATA/experiments/vps-zfs-fio/experiment.toml:"));
  }
}

TEST_CASE("replay: an unknown experiment or mechanism gets a line with those that exist") {
  ReplayOptions options;
  options.data_directory = kData;
  options.experiments = {"ext4"};
  const auto unknown = replay(options);
  REQUIRE(!unknown);
  CHECK(unknown.error().message ==
        "experiment 'ext4' is unknown; there are btrfs-f2fs-fio, freebsd-zfs-dd, rsync-zfs, vps-zfs-fio, "
        "zvol-clone");
  options.experiments = {};
  options.without = {"gravity"};
  const auto mechanism = replay(options);
  REQUIRE(!mechanism);
  CHECK(mechanism.error().message ==
        "mechanism 'gravity' is unknown; there are write-delay, metadata-phase, speed-variation, "
        "single-compress-thread, burst-credit, prefetch, promotion, read-aggregation, scatter, resident-head, "
        "flusher, flusher-wait, reservation, commit, device-mapper, fork-stagger, equal-rate, phase-alternation");
}
