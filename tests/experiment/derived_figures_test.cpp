// Derived figures: each follows from other figures of its document. Here each formula is applied to the published
// parents and has to give what the document prints; a replay then prints them by the same formulas.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "blkpress/sim/fio_statistics.hpp"
#include "experiment/published_figures.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

using Values = std::map<std::string, std::string>;

// The published figures of one measurement.
struct Measurement {
  std::string part;
  std::string config;
  Values values;
  std::vector<std::string> derived;

  [[nodiscard]] const std::string& text(const std::string& metric) const {
    const auto found = values.find(metric);
    REQUIRE(found != values.end());
    return found->second;
  }
  [[nodiscard]] double number(const std::string& metric) const { return parse_number(text(metric)).value(); }
};

std::vector<Measurement> measurements(const std::string& experiment) {
  const std::string folder = std::string(BLKPRESS_SOURCE_DIR) + "/data/experiments/" + experiment;
  const auto published = load_published_figures(folder + "/published.csv");
  REQUIRE(published);
  std::vector<Measurement> all;
  for (const PublishedFigure& row : *published) {
    Measurement* same = nullptr;
    for (Measurement& measurement : all) {
      if (measurement.part == row.figure.part && measurement.config == row.figure.config) same = &measurement;
    }
    if (same == nullptr) same = &all.emplace_back(Measurement{row.figure.part, row.figure.config, {}, {}});
    same->values[row.figure.metric] = row.figure.published;
    if (row.figure.figure_class == FigureClass::derived) same->derived.push_back(row.figure.metric);
  }
  return all;
}

constexpr std::array kExperiments = {"vps-zfs-fio", "freebsd-zfs-dd", "btrfs-f2fs-fio", "zvol-clone", "rsync-zfs"};

std::uint64_t ios_of(const Measurement& m) {
  const std::string issued = m.text("fio.issued.total(r,w,t,s)");  // "0,81920,0,0": one of them is not zero
  std::uint64_t ios = 0;
  for (std::size_t at = 0; at < issued.size(); at = issued.find(',', at) + 1) {
    ios += std::stoull(issued.substr(at));
    if (issued.find(',', at) == std::string::npos) break;
  }
  return ios;
}

double bytes_of(const Measurement& m) {
  const double unit = m.text("fio.io_total") == "10.0" ? 1073741824.0 : 1048576.0;  // GiB, MiB
  return m.number("fio.io_total") * unit;
}

// What fio prints of a run of that many bytes, I/Os and milliseconds.
Values printed_by_fio(const Measurement& m) {
  FioGroup group;
  group.jobs = static_cast<std::uint32_t>(m.number("fio.jobs"));
  FioDirectionResult& result = group.directions[m.part == "seqread" ? 0 : 1];
  result.ios = ios_of(m);
  result.bytes = static_cast<std::uint64_t>(bytes_of(m));
  result.runtime_ms = static_cast<std::uint64_t>(m.number("fio.runtime"));
  Values values;
  for (const FioFigure& figure : fio_figures(group)) values[figure.metric] = figure.value;
  return values;
}

bool near(double value, double expected, double share) { return std::abs(value - expected) <= share * expected; }

// Bandwidth samples in KiB/s, whatever unit fio chose: MiB/s when the mean is above 1 GiB/s.
double samples_kib(const Measurement& m, const std::string& name) {
  const bool mebibytes = m.number("fio.bw_samples.avg") < 10'000;
  return m.number("fio.bw_samples." + name) * (mebibytes ? 1024 : 1);
}

// Headline and "Run status" line: the printed string.
std::optional<bool> by_headline(const Measurement& m, const std::string& metric) {
  if (!metric.starts_with("fio.group.") && metric != "fio.iops" && metric != "fio.bw" && metric != "fio.bw_decimal") {
    return std::nullopt;
  }
  return printed_by_fio(m).at(metric) == m.text(metric);
}

std::optional<bool> by_samples(const Measurement& m, const std::string& metric) {
  if (metric.find("_samples.") == std::string::npos) return std::nullopt;
  const double run_kib = std::floor(std::floor(bytes_of(m) * 1000 / m.number("fio.runtime")) / 1024);
  if (metric == "fio.bw_samples.per") {
    const double percent = std::min(100.0, 100 * samples_kib(m, "avg") / run_kib);
    return fmt::format("{:.2f}", percent) == m.text(metric);
  }
  if (metric == "fio.bw_samples.avg") {
    // Half seconds times rates are what was written, but for the last part of one of each job. A half second without
    // an I/O leaves no sample, which raises the mean, not the sum.
    const double jobs = m.number("fio.jobs");
    const double sampled = m.number("fio.bw_samples.n") / jobs * samples_kib(m, "avg") / 2;
    const double total = bytes_of(m) / 1024;
    return sampled <= 1.001 * total && sampled >= total - std::max(samples_kib(m, "max") / 2, 0.02 * total);
  }
  if (metric == "fio.bw_samples.n") {
    const double jobs = m.number("fio.jobs");
    if (jobs == 1) return std::floor(m.number("fio.runtime") / 500) == m.number(metric);
    // The jobs do not end together.
    return m.number(metric) * 500 <= jobs * m.number("fio.runtime") &&
           m.number(metric) * 500 >= 0.8 * jobs * m.number("fio.runtime");
  }
  constexpr std::string_view kPrefix = "fio.iops_samples.";
  if (!metric.starts_with(kPrefix)) return std::nullopt;
  const std::string name = metric.substr(kPrefix.size());
  if (name == "n") return m.text(metric) == m.text("fio.bw_samples.n");
  // Whole KiB/s and whole IOPS are cut off in each sample of each job; ten jobs lose up to ten.
  const double block_kib = bytes_of(m) / 1024 / static_cast<double>(ios_of(m));
  const double expected = samples_kib(m, name) / block_kib;
  return std::abs(m.number(metric) - expected) <= 0.015 * expected + 1;
}

std::optional<bool> by_latency(const Measurement& m, const std::string& metric) {
  if (metric == "fio.clat.avg") {  // Little: each job has an I/O under way nearly all the time
    const double expected = m.number("fio.jobs") * m.number("fio.runtime") * 1e3 / static_cast<double>(ios_of(m));
    return near(m.number(metric), expected, 0.011);
  }
  if (metric == "fio.lat.avg") {  // what lat counts before the issue: up to 2 us
    const double before = m.number(metric) - m.number("fio.clat.avg");
    return before >= 0 && before <= 2;
  }
  if (metric == "fio.lat.stdev") return std::abs(m.number(metric) - m.number("fio.clat.stdev")) <= 0.1;
  if (!metric.starts_with("fio.lat_hist.")) return std::nullopt;
  double sum = 0;
  for (const auto& [name, value] : m.values) {
    if (name.starts_with("fio.lat_hist.")) sum += parse_number(value).value();
  }
  return std::abs(sum - 100) <= 0.1;  // up to twenty shares, each rounded to 0.01 and none below
}

std::optional<bool> by_disk(const Measurement& m, const std::string& metric) {
  if (!metric.starts_with("diskstat.")) return std::nullopt;
  const std::size_t aggregate = metric.find(".aggr");
  if (aggregate != std::string::npos)
    return m.text(metric) == m.text("diskstat.nvme0n1." + metric.substr(aggregate + 5));
  // Time in queue is the waiting of reads and writes, each rounded by itself.
  const std::string ticks = m.text(metric.substr(0, metric.rfind('.')) + ".ticks");
  return std::abs(m.number(metric) - std::stod(ticks.substr(ticks.find('/') + 1))) <= 1;
}

std::optional<bool> by_other(const Measurement& m, const std::string& metric) {
  if (metric == "dd.rate") {  // of a time that is printed in whole microseconds
    const double least = m.number("dd.bytes") / (m.number("dd.seconds") + 0.5e-6);
    const double most = m.number("dd.bytes") / (m.number("dd.seconds") - 0.5e-6);
    return std::floor(least) <= m.number(metric) && m.number(metric) <= std::ceil(most);
  }
  if (metric == "hdparm.buffered.MB") {
    return fmt::format("{:.2f}", m.number(metric) / m.number("hdparm.buffered.rate")) ==
           m.text("hdparm.buffered.seconds");
  }
  if (metric == "zfs.USED") return m.text(metric) == m.text("zfs.REFER");  // datasets without snapshots or children
  if (metric == "cpu.cores_used") {                                        // "3" of "300%"
    return m.number(metric) == m.number("cpu.kernel") / 100;
  }
  return std::nullopt;
}

std::optional<bool> follows(const Measurement& m, const std::string& metric) {
  for (const auto rule : {&by_headline, &by_samples, &by_latency, &by_disk, &by_other}) {
    if (const auto answer = rule(m, metric)) return answer;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("published figures: every derived one follows from its published parents") {
  std::size_t checked = 0;
  for (const char* experiment : kExperiments) {
    for (const Measurement& m : measurements(experiment)) {
      for (const std::string& metric : m.derived) {
        // (user + system) / elapsed of 10 to 20 ms, all printed in steps of 1 to 10 ms: nothing follows exactly.
        if (metric == "time.cpu") continue;
        if (metric == "zfs.AVAIL") continue;  // below: every dataset sees the whole pool's
        INFO(experiment << " " << m.part << " " << m.config << " " << metric << " " << m.text(metric));
        const auto answer = follows(m, metric);
        REQUIRE(answer.has_value());  // a derived figure without a formula is none
        CHECK(*answer);
        ++checked;
      }
    }
  }
  CHECK(checked > 200);
}

TEST_CASE("published figures: all datasets of a pool print the same space available") {
  std::string pool;
  std::size_t datasets = 0;
  for (const Measurement& m : measurements("freebsd-zfs-dd")) {
    const auto found = m.values.find("zfs.AVAIL");
    if (found == m.values.end()) continue;
    if (pool.empty()) pool = found->second;
    CHECK(found->second == pool);
    ++datasets;
  }
  CHECK(datasets == 4);
}
