// The kernel against queues whose answers are known in closed form.
#include <cmath>
#include <vector>

#include "blkpress/sim/distribution.hpp"
#include "blkpress/sim/resource.hpp"
#include "blkpress/sim/scheduler.hpp"
#include "support/catch.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

struct OpenQueue {
  Scheduler scheduler{};
  Resource server{scheduler, 1};
  Random arrivals{1, 1};
  Random services{1, 2};
  Duration mean_interval;
  Duration mean_service;
  bool deterministic;
  std::int64_t customers;
  std::int64_t done = 0;
  double total_response_ns = 0;
};

Task customer(OpenQueue& queue) {
  const Instant arrival = queue.scheduler.now();
  const Duration service =
      queue.deterministic ? queue.mean_service : draw_exponential(queue.services, queue.mean_service);
  co_await queue.server.serve(service);
  queue.total_response_ns += static_cast<double>((queue.scheduler.now() - arrival).ns);
  ++queue.done;
}

Task arrivals(OpenQueue& queue) {
  for (std::int64_t i = 0; i < queue.customers; ++i) {
    co_await queue.scheduler.sleep_for(draw_exponential(queue.arrivals, queue.mean_interval));
    queue.scheduler.spawn(customer(queue));
  }
}

// Mean response time in units of the mean service time.
double run(OpenQueue& queue) {
  queue.scheduler.spawn(arrivals(queue));
  queue.scheduler.run();
  REQUIRE(queue.done == queue.customers);
  REQUIRE(queue.scheduler.unfinished_tasks() == 0);
  return queue.total_response_ns / static_cast<double>(queue.done) / static_cast<double>(queue.mean_service.ns);
}

}  // namespace

TEST_CASE("kernel: an M/M/1 queue at half load has twice the service time as its mean response") {
  OpenQueue queue{.mean_interval = microseconds(200),
                  .mean_service = microseconds(100),
                  .deterministic = false,
                  .customers = 500'000};
  CHECK(run(queue) == Approx(1 / (1 - 0.5)).epsilon(0.01));
  CHECK(queue.scheduler.events() >= 1'000'000);
  const double elapsed = static_cast<double>((queue.scheduler.now() - Instant{}).ns);
  CHECK(static_cast<double>(queue.server.busy_time_ns()) / elapsed == Approx(0.5).epsilon(0.01));
}

TEST_CASE("kernel: an M/D/1 queue at half load follows Pollaczek and Khinchine") {
  OpenQueue queue{.mean_interval = microseconds(200),
                  .mean_service = microseconds(100),
                  .deterministic = true,
                  .customers = 500'000};
  // W = 1 + rho / (2 (1 - rho)) service times.
  CHECK(run(queue) == Approx(1 + 0.5 / (2 * (1 - 0.5))).epsilon(0.01));
}

TEST_CASE("kernel: Little's law holds exactly over a run that starts and ends empty") {
  OpenQueue queue{.mean_interval = microseconds(125),
                  .mean_service = microseconds(100),
                  .deterministic = false,
                  .customers = 100'000};
  run(queue);
  // Area below the number in the system = sum of the times in it.
  CHECK(static_cast<double>(queue.server.population_time_ns()) == Approx(queue.total_response_ns).epsilon(1e-12));
}

namespace {

struct ClosedNetwork {
  Scheduler scheduler{};
  std::vector<Resource> stations{};
  std::vector<Duration> services;
  Duration think;
  Random random{7};
  std::int64_t cycles_left;
};

// Think, then visit every station in turn, for ever; all times exponential.
Task client(ClosedNetwork& network, std::int64_t& cycles) {
  while (network.cycles_left > 0) {
    co_await network.scheduler.sleep_for(draw_exponential(network.random, network.think));
    for (std::size_t i = 0; i < network.stations.size(); ++i) {
      co_await network.stations[i].serve(draw_exponential(network.random, network.services[i]));
    }
    --network.cycles_left;
    ++cycles;
  }
}

// Exact mean value analysis (Reiser and Lavenberg 1980): throughput of `clients` in cycles per second.
double mean_value_analysis(const std::vector<Duration>& services, Duration think, int clients) {
  std::vector<double> queue(services.size(), 0);
  double throughput = 0;
  for (int n = 1; n <= clients; ++n) {
    std::vector<double> response(services.size());
    double total = in_seconds(think);
    for (std::size_t i = 0; i < services.size(); ++i) {
      response[i] = in_seconds(services[i]) * (1 + queue[i]);
      total += response[i];
    }
    throughput = n / total;
    for (std::size_t i = 0; i < services.size(); ++i) queue[i] = throughput * response[i];
  }
  return throughput;
}

}  // namespace

TEST_CASE("kernel: a closed network has the throughput that mean value analysis gives") {
  const int clients = GENERATE(1, 4, 16);
  ClosedNetwork network{.services = {microseconds(100), microseconds(80), microseconds(40)},
                        .think = microseconds(500),
                        .cycles_left = 250'000};
  for (std::size_t i = 0; i < network.services.size(); ++i) network.stations.emplace_back(network.scheduler, 1);
  std::int64_t cycles = 0;
  for (int i = 0; i < clients; ++i) network.scheduler.spawn(client(network, cycles));
  network.scheduler.run();
  const double throughput = static_cast<double>(cycles) / in_seconds(network.scheduler.now() - Instant{});
  CHECK(throughput == Approx(mean_value_analysis(network.services, network.think, clients)).epsilon(0.01));
}
