// Requests per second that each kind of device can be asked: what a simulated I/O costs beside its events. The argument
// is the size of a request in KiB. Offsets are random, so that nothing is found in a processor's cache by chance.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "blkpress/random.hpp"
#include "blkpress/sim/device.hpp"

using namespace blkpress;
using namespace blkpress::sim;

namespace {

constexpr std::uint64_t kSpan = 4'000'000'000;

const std::vector<DeviceSetting> kNone;

// One request at a time, each sent when the last one is complete.
void requests(benchmark::State& state, const std::string& file, const std::vector<DeviceSetting>& settings,
              DeviceRequest::Kind kind) {
  const auto device = load_device(BLKPRESS_SOURCE_DIR "/data/devices/" + file, settings);
  if (!device) {
    state.SkipWithError(device.error().message.c_str());
    return;
  }
  const auto bytes = static_cast<std::uint64_t>(state.range(0)) * 1024;
  Random random(1);
  Instant now{};
  for (auto _ : state) {
    now = (*device)->complete_at({kind, random.below(kSpan / bytes) * bytes, bytes}, now);
    benchmark::DoNotOptimize(now);
  }
  state.SetItemsProcessed(state.iterations());
}

void add(const std::string& name, const std::string& file, const std::vector<DeviceSetting>& settings,
         DeviceRequest::Kind kind) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { requests(state, file, settings, kind); })
      ->Arg(4)
      ->Arg(256);
}

void add_all() {
  constexpr auto kRead = DeviceRequest::Kind::read;
  constexpr auto kWrite = DeviceRequest::Kind::write;
  const std::vector<DeviceSetting> hdd_cacheless = {{"write_cache_kib", "0"}};
  add("lanes/write", "scsi-2008.toml", kNone, kWrite);
  add("cloud/write", "tencent-cloud-50g.toml", kNone, kWrite);
  add("hdd/read", "hdd-7200.toml", kNone, kRead);
  add("hdd/write", "hdd-7200.toml", hdd_cacheless, kWrite);
  add("hdd/cached_write", "hdd-7200.toml", kNone, kWrite);
  add("ssd/read", "nvme.toml", kNone, kRead);
  add("ssd/write_fresh", "nvme.toml", {{"fill", "fresh"}}, kWrite);
  add("ssd/write_steady", "nvme.toml", {{"fill", "steady"}}, kWrite);
}

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
  add_all();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
