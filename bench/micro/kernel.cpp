// Events per second of the simulator's kernel: what a simulated I/O costs at the least. Each figure is for one core,
// with as many events waiting in the queue as the benchmark's argument says; a replay of ten fio jobs has some tens, a
// large what-if some thousands.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "blkpress/random.hpp"
#include "blkpress/sim/distribution.hpp"
#include "blkpress/sim/resource.hpp"
#include "blkpress/sim/scheduler.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

constexpr std::int64_t kRounds = 1000;

// Cheap and different every time, so that the queue is never in order.
Duration some_delay(Random& random) { return nanoseconds(static_cast<std::int64_t>(1 + random.below(1'000'000))); }

Task sleeper(Scheduler& scheduler, Random& random) {
  for (std::int64_t i = 0; i < kRounds; ++i) co_await scheduler.sleep_for(some_delay(random));
}

void sleeping_tasks(benchmark::State& state) {
  std::int64_t events = 0;
  for (auto _ : state) {
    Scheduler scheduler;
    Random random(1);
    for (std::int64_t i = 0; i < state.range(0); ++i) scheduler.spawn(sleeper(scheduler, random));
    events += static_cast<std::int64_t>(scheduler.run());
  }
  state.SetItemsProcessed(events);
}
BENCHMARK(sleeping_tasks)->Arg(16)->Arg(256)->Arg(4096);

struct Caller {
  Scheduler* scheduler;
  Random random;
  std::int64_t left;
};

void call(void* context) {
  auto& caller = *static_cast<Caller*>(context);
  if (caller.left-- > 0) caller.scheduler->call_at(caller.scheduler->now() + some_delay(caller.random), call, &caller);
}

void calls(benchmark::State& state) {
  std::int64_t events = 0;
  for (auto _ : state) {
    Scheduler scheduler;
    std::vector<Caller> callers;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
      callers.push_back({&scheduler, Random(static_cast<std::uint64_t>(i)), kRounds});
    }
    for (Caller& caller : callers) scheduler.call_at(Instant{}, call, &caller);
    events += static_cast<std::int64_t>(scheduler.run());
  }
  state.SetItemsProcessed(events);
}
BENCHMARK(calls)->Arg(16)->Arg(256)->Arg(4096);

Task customer(Scheduler& scheduler, Resource& server, Random& random) {
  for (std::int64_t i = 0; i < kRounds; ++i) {
    co_await scheduler.sleep_for(some_delay(random));
    co_await server.serve(nanoseconds(1000));
  }
}

// Think and be served, in turn: a closed queueing network with a coroutine frame for each service.
void served_customers(benchmark::State& state) {
  std::int64_t events = 0;
  for (auto _ : state) {
    Scheduler scheduler;
    Resource server(scheduler, 4);
    Random random(1);
    for (std::int64_t i = 0; i < state.range(0); ++i) scheduler.spawn(customer(scheduler, server, random));
    events += static_cast<std::int64_t>(scheduler.run());
  }
  state.SetItemsProcessed(events);
}
BENCHMARK(served_customers)->Arg(16)->Arg(256)->Arg(4096);

void normal_draws(benchmark::State& state) {
  Random random(1);
  for (auto _ : state) benchmark::DoNotOptimize(draw_normal(random));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(normal_draws);

}  // namespace

// --smoke: everything once, as briefly as possible; the rest is Google Benchmark's.
int main(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  for (std::string& word : words) {
    if (word == "--smoke") word = "--benchmark_min_time=0";
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
