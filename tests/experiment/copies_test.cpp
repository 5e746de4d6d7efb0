// zvol-clone and rsync-zfs: what their calibrations were made on, and what their mechanisms explain.
#include <string>

#include "blkpress/sim/experiment.hpp"
#include "support/catch.hpp"

using namespace blkpress::sim;

namespace {

std::vector<Figure> figures(const std::string& experiment, const std::string& without = {}) {
  ReplayOptions options;
  options.data_directory = std::string(BLKPRESS_SOURCE_DIR) + "/data";
  options.experiments = {experiment};
  if (!without.empty()) options.without = {without};
  auto result = replay(options);
  REQUIRE(result);
  return std::move(result->figures);
}

double simulated(const std::vector<Figure>& figures, const std::string& config, const std::string& metric) {
  for (const Figure& figure : figures) {
    if (figure.config == config && figure.metric == metric) return parse_number(figure.simulated.value()).value();
  }
  FAIL("no " << config << " " << metric);
  return 0;
}

}  // namespace

TEST_CASE("zvol-clone: without one rate for all runs the destination limits, and lz4 takes twice the CPU time") {
  const auto base = figures("zvol-clone");
  const auto ablated = figures("zvol-clone", "equal-rate");
  CHECK(simulated(base, "lz4", "cpu.incremental") < 1.4 * simulated(base, "off", "cpu.incremental"));
  CHECK(simulated(ablated, "lz4", "cpu.incremental") > 1.7 * simulated(base, "lz4", "cpu.incremental"));
  CHECK(simulated(ablated, "off", "cpu.incremental") == Approx(simulated(base, "off", "cpu.incremental")).epsilon(0.1));
}

TEST_CASE("rsync-zfs: kernel time over throughput is that of the document, which calibrates it") {
  const auto base = figures("rsync-zfs");
  const double lzjb = simulated(base, "lzjb", "cpu.kernel") / simulated(base, "lzjb", "net.throughput");
  const double gzip = simulated(base, "gzip (-6)", "cpu.kernel") / simulated(base, "gzip (-6)", "net.throughput");
  CHECK(lzjb == Approx(300.0 / 650).epsilon(0.02));
  CHECK(gzip == Approx(500.0 / 450).epsilon(0.02));
}

TEST_CASE("rsync-zfs: with phases that overlap lzjb runs at the network's rate") {
  const double network = 117.5e6 * 8 / 1048576;
  const auto ablated = figures("rsync-zfs", "phase-alternation");
  CHECK(simulated(ablated, "lzjb", "net.throughput") > 0.96 * network);
  CHECK(simulated(ablated, "lzjb", "net.throughput") < 1.001 * network);
  CHECK(simulated(figures("rsync-zfs"), "lzjb", "net.throughput") < 0.75 * network);
}
