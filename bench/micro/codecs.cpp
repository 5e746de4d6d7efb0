// How fast each codec compresses and restores each content, and how OpenZFS's LZ4 match finder, written here, compares
// with liblz4. Run with --help for the flags of this program; the others are Google Benchmark's.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "blkpress/codec.hpp"
#include "blkpress/corpus.hpp"

using namespace blkpress;

namespace {

constexpr std::string_view kHelp =
    "bench_codecs: MB/s of each codec x level x content, compressing and restoring\n"
    "  --file=PATH           also measure the content of this file (or set BLKPRESS_BENCH_FILE)\n"
    "  --record=BYTES        size of the records, default 131072\n"
    "  --smoke               run everything once, as briefly as possible; no figure means anything then\n"
    "  --lz4-comparison      only compare the own LZ4 match finder with liblz4; a run without other flags ends with "
    "that\n"
    "  --benchmark_filter=REGEX, --benchmark_format=json and more: see Google Benchmark\n"
    "names are compress/CODEC/CONTENT and restore/CODEC/CONTENT, so --benchmark_filter='/lz4/text' is one of each\n";

// Measured in full; of the others one pass over the content is enough to see where they stand.
constexpr std::array<std::string_view, 12> kNamedLevels{
    "lz4", "lz4-lib", "lzjb", "zle", "lzo", "gzip-1", "gzip-6", "gzip-9", "zstd-1", "zstd-3", "zstd-9", "zstd-fast-10"};

struct Options {
  std::string file;
  std::size_t record_size = 131072;
  bool smoke = false;
  bool only_comparison = false;
};

using Content = std::vector<std::byte>;

// Compressed records of one content, as a pool would store them; raw where a record did not shrink.
class Records {
 public:
  Records(const Content& content, std::size_t record_size) {
    for (std::size_t at = 0; at < content.size(); at += record_size) {
      records_.push_back(ByteView(content).subspan(at, std::min(record_size, content.size() - at)));
    }
  }
  // The bytes that are left.
  std::size_t compress(CodecContext& context, ByteSpan target) const {
    std::size_t left = 0;
    for (const ByteView record : records_) {
      left += context.compress(record, target.first(std::min(target.size(), record.size()))).value_or(record.size());
    }
    return left;
  }
  // Each compressed record with its original size, also those that a pool would rather store raw.
  [[nodiscard]] std::vector<std::pair<Content, std::size_t>> compressed(CodecContext& context) const {
    std::vector<std::pair<Content, std::size_t>> stored;
    for (const ByteView record : records_) {
      Content target(record.size() + record.size() / 8 + 256);
      target.resize(context.compress(record, target).value());
      stored.emplace_back(std::move(target), record.size());
    }
    return stored;
  }

 private:
  std::vector<ByteView> records_;
};

void measure_compress(benchmark::State& state, const Compression& compression, const Content& content,
                      std::size_t record_size) {
  const auto context = compression.make_context();
  const Records records(content, record_size);
  Content target(record_size);
  std::size_t left = content.size();
  for (auto _ : state) left = records.compress(*context, target);
  state.SetBytesProcessed(static_cast<std::int64_t>(content.size()) * state.iterations());
  state.counters["ratio"] = static_cast<double>(content.size()) / static_cast<double>(left);
}

void measure_restore(benchmark::State& state, const Compression& compression, const Content& content,
                     std::size_t record_size) {
  const auto context = compression.make_context();
  const auto stored = Records(content, record_size).compressed(*context);
  Content target(record_size);
  for (auto _ : state) {
    for (const auto& [bytes, size] : stored) {
      if (!context->decompress(bytes, ByteSpan(target).first(size))) state.SkipWithError("does not decode");
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(content.size()) * state.iterations());
}

// One pass over the content with both finders in turn, many times, so that a busy machine slows both alike; the fastest
// pass of each counts.
void compare_lz4(const std::map<std::string, Content>& contents, const Options& options) {
  fmt::print("own LZ4 match finder against liblz4 {}, records of {} bytes, fastest of interleaved passes\n",
             compression_named("lz4-lib").codec->library_version(), options.record_size);
  fmt::print("{:<12} {:>10} {:>10} {:>8}\n", "content", "lz4 MB/s", "liblz4", "ratio");
  using Clock = std::chrono::steady_clock;
  for (const auto& [name, content] : contents) {
    const Records records(content, options.record_size);
    Content target(options.record_size);
    const std::array contexts{compression_named("lz4").make_context(), compression_named("lz4-lib").make_context()};
    std::array<double, 2> fastest{1e9, 1e9};
    for (int pass = 0; pass < (options.smoke ? 1 : 30); ++pass) {
      for (std::size_t i = 0; i < 2; ++i) {
        const auto start = Clock::now();
        benchmark::DoNotOptimize(records.compress(*contexts[i], target));
        fastest[i] = std::min(fastest[i], std::chrono::duration<double>(Clock::now() - start).count());
      }
    }
    const double megabytes = static_cast<double>(content.size()) / 1e6;
    fmt::print("{:<12} {:>10.0f} {:>10.0f} {:>8.3f}\n", name, megabytes / fastest[0], megabytes / fastest[1],
               fastest[1] / fastest[0]);
  }
}

std::map<std::string, Content> make_contents(const Options& options) {
  const std::size_t size = options.smoke ? 96 * kKiB : 8 * kMiB;
  std::map<std::string, Content> contents{{"zeros", Content(size)},
                                          {"text", generate_text(size, 1)},
                                          {"database", generate_database_pages(size, 1)},
                                          {"mixed", generate_mixed(size, 1)},
                                          {"random", generate_random(size, 1)},
                                          {"gradient", generate_gradient_bitmap()}};
  if (options.smoke) contents["gradient"].resize(size);
  if (options.file.empty()) return contents;
  // A GiB tells no more than its first part does.
  constexpr std::size_t kMost = 256 * kMiB;
  std::ifstream file(options.file, std::ios::binary);
  Content content(kMost);
  file.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(kMost));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.empty()) {
    fmt::print(stderr, "bench_codecs: cannot read '{}', or it is empty\n", options.file);
    std::exit(3);
  }
  contents["file"] = std::move(content);
  return contents;
}

// Takes this program's flags out of the arguments and leaves Google Benchmark's.
Options parse_options(std::vector<char*>& arguments) {
  Options options;
  if (const char* const file = std::getenv("BLKPRESS_BENCH_FILE")) options.file = file;
  const auto is_ours = [&options](std::string_view argument) {
    if (argument.starts_with("--file=")) return options.file = argument.substr(7), true;
    if (argument == "--smoke") return options.smoke = true;
    if (argument == "--lz4-comparison") return options.only_comparison = true;
    if (argument.starts_with("--record=")) {
      options.record_size = std::strtoull(argument.data() + 9, nullptr, 10);
      if (options.record_size == 0 || options.record_size > 16 * kMiB) {
        fmt::print(stderr, "bench_codecs: --record {} is not between 1 and 16777216\n", argument.substr(9));
        std::exit(2);
      }
      return true;
    }
    if (argument == "--help") {
      fmt::print("{}", kHelp);
      std::exit(0);
    }
    return false;
  };
  std::erase_if(arguments, [&](const char* argument) { return is_ours(argument); });
  return options;
}

void register_all(const std::map<std::string, Content>& contents, const Options& options) {
  for (const CodecInfo& codec : codecs()) {
    const std::array<int, 1> no_level{codec.default_level};
    for (const int level : codec.levels.empty() ? std::span<const int>(no_level) : codec.levels) {
      const Compression compression{&codec, level};
      const std::string name = to_string(compression);
      const bool in_full = std::find(kNamedLevels.begin(), kNamedLevels.end(), name) != kNamedLevels.end();
      for (const auto& [content_name, content] : contents) {
        for (const bool compress : {true, false}) {
          auto* const registered = benchmark::RegisterBenchmark(
              fmt::format("{}/{}/{}", compress ? "compress" : "restore", name, content_name).c_str(),
              compress ? measure_compress : measure_restore, compression, std::cref(content), options.record_size);
          registered->Unit(benchmark::kMillisecond);
          if (!in_full || options.smoke) registered->Iterations(1);
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<char*> arguments(argv, argv + argc);
  const Options options = parse_options(arguments);
  const std::size_t arguments_left = arguments.size();
  const std::map<std::string, Content> contents = make_contents(options);
  if (!options.only_comparison) {
    register_all(contents, options);
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  }
  // Not behind a selection of benchmarks, nor behind JSON.
  if (arguments_left == 1 || options.only_comparison) compare_lz4(contents, options);
  return 0;
}
