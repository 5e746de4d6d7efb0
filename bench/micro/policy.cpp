// Throughput of policy zfs (deciding every record and summing the object up) against the codec calls that it contains,
// made bare: the same contexts, capacities and early abort's calls. ratio is policy / bare; 0.95 is the aim on data
// that compresses.
//
//   bench_policy [--smoke] [--file=PATH] [Google Benchmark's own options]
//
// Bare and policy take turns within one iteration, and each keeps its fastest, so that a busy machine disturbs both
// alike.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "blkpress/corpus.hpp"
#include "blkpress/zfs_policy.hpp"

namespace {

using namespace blkpress;

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The codec calls of the policy and nothing else.
class BareCodec {
 public:
  explicit BareCodec(const ZfsOptions& options)
      : rules_(options),
        codec_(options.compression.make_context()),
        lz4_(compression_named("lz4").make_context()),
        zstd_(compression_named("zstd-1").make_context()),
        target_(options.recordsize) {}

  void run(ByteView content) {
    const std::size_t unit = rules_.options().recordsize;
    for (std::size_t at = 0; at < content.size(); at += unit) {
      const ByteView record = content.subspan(at, std::min(unit, content.size() - at));
      const auto lsize = static_cast<std::uint32_t>(record.size());
      const ByteSpan room = ByteSpan(target_).first(rules_.capacity(lsize));
      if (rules_.early_abort(lsize) && !lz4_->compress(record, room) && !zstd_->compress(record, room)) continue;
      benchmark::DoNotOptimize(codec_->compress(record, room));
    }
  }

 private:
  ZfsRules rules_;
  std::unique_ptr<CodecContext> codec_, lz4_, zstd_;
  std::vector<std::byte> target_;
};

class WholePolicy {
 public:
  explicit WholePolicy(const ZfsOptions& options)
      : policy_(ZfsPolicy::make(options).value()),
        decider_(policy_->make_decider()),
        account_(policy_->make_account()) {}

  void decide(ByteView content) {
    const std::uint32_t unit = policy_->unit_bytes(content.size());
    findings_.clear();
    for (std::size_t at = 0; at < content.size(); at += unit) {
      findings_.push_back(
          decider_->decide(content.subspan(at, std::min<std::size_t>(unit, content.size() - at)), unit));
    }
  }
  void sum_up(ByteView content) {
    account_->begin(content.size());
    for (const RecordFinding& finding : findings_) account_->add(finding);
    benchmark::DoNotOptimize(account_->finish());
  }

 private:
  std::unique_ptr<ZfsPolicy> policy_;
  std::unique_ptr<Decider> decider_;
  std::unique_ptr<ObjectAccount> account_;
  std::vector<RecordFinding> findings_;
};

void measure(benchmark::State& state, const ZfsOptions& options, ByteView content) {
  BareCodec bare(options);
  WholePolicy policy(options);
  double bare_s = std::numeric_limits<double>::max();
  double decide_s = bare_s;
  double account_s = bare_s;
  for (auto _ : state) {
    const double start = thread_cpu_seconds();
    bare.run(content);
    const double bare_done = thread_cpu_seconds();
    policy.decide(content);
    const double decided = thread_cpu_seconds();
    policy.sum_up(content);
    const double end = thread_cpu_seconds();
    bare_s = std::min(bare_s, bare_done - start);
    decide_s = std::min(decide_s, decided - bare_done);
    account_s = std::min(account_s, end - decided);
    state.SetIterationTime(decided - bare_done);
  }
  const double megabytes = static_cast<double>(content.size()) / 1e6;
  state.counters["bare_MBps"] = megabytes / bare_s;
  state.counters["policy_MBps"] = megabytes / decide_s;
  state.counters["ratio"] = bare_s / decide_s;
  state.counters["with_account"] = bare_s / (decide_s + account_s);
}

// Keeps the contents alive for the benchmarks that look at them.
std::vector<std::pair<std::string, std::vector<std::byte>>>& contents() {
  static std::vector<std::pair<std::string, std::vector<std::byte>>> all;
  return all;
}

bool load_contents(const std::string& path) {
  if (path.empty()) {
    for (const char* name : {"syntext.bin", "dbpage.bin", "bmp.bin", "mixed.bin"}) {
      contents().emplace_back(name, corpus_file(name));
    }
    return true;
  }
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file || bytes.empty()) {
    std::fprintf(stderr, "bench_policy: cannot read %s, or it is empty\n", path.c_str());
    return false;
  }
  const ByteView view = as_bytes(bytes.data(), bytes.size());
  contents().emplace_back(path, std::vector<std::byte>(view.begin(), view.end()));
  return true;
}

void register_all(bool smoke) {
  for (const auto& [name, bytes] : contents()) {
    for (const char* compression : {"lz4", "lzjb", "gzip-6", "zstd-1", "zstd-3", "zstd-9"}) {
      for (const std::uint64_t recordsize : {16 * kKiB, 128 * kKiB}) {
        ZfsOptions options = ZfsOptions::defaults({});
        options.compression = compression_named(compression);
        options.recordsize = recordsize;
        const ByteView content =
            ByteView(bytes).first(smoke ? std::min<std::size_t>(bytes.size(), kMiB) : bytes.size());
        auto* benchmark = benchmark::RegisterBenchmark(
            fmt::format("policy/zfs/{}/{}/{}K", name, compression, recordsize / kKiB).c_str(),
            [options, content](benchmark::State& state) { measure(state, options, content); });
        benchmark->UseManualTime()->Unit(benchmark::kMillisecond);
        if (smoke) benchmark->Iterations(1);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  bool smoke = false;
  std::string path;
  std::vector<char*> rest = {argv[0]};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--smoke") {
      smoke = true;
    } else if (argument.starts_with("--file=")) {
      path = argument.substr(7);
    } else {
      rest.push_back(argv[i]);
    }
  }
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  if (!load_contents(path)) return 3;
  register_all(smoke);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
