#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "blkpress/codec.hpp"
#include "blkpress/codec_timing.hpp"
#include "blkpress/command.hpp"
#include "blkpress/content_sample.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/sim/host.hpp"

namespace blkpress::tool {
namespace {

// What the experiments and most questions need. The high levels of zstd take minutes: ask for them by name.
std::vector<std::string> usual_compressions() {
  std::vector<std::string> names = {"off",    "zle",    "lzjb",   "lz4",    "lz4-lib", "gzip-1",     "gzip-6",
                                    "gzip-7", "gzip-9", "zstd-1", "zstd-3", "zstd-9",  "zstd-fast-1"};
  for (const CodecInfo& codec : codecs()) {
    if (codec.name == "lzo") names.emplace_back("lzo");
  }
  return names;
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      std::string name = line.substr(colon + 2);
      std::erase_if(name, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; });
      return name;
    }
  }
  return "unknown processor";
}

std::vector<std::string> library_versions(const std::vector<Compression>& compressions) {
  std::set<std::string> versions;
  for (const Compression& compression : compressions) {
    const std::string version = compression.codec->library_version();
    if (!version.empty()) versions.insert(fmt::format("{} {}", compression.codec->library, version));
  }
  return {versions.begin(), versions.end()};
}

void show_progress(std::uint64_t repetition) {
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\rcalibrate: repetition {}", repetition + 1);
}

}  // namespace

Result<ExitStatus> command_calibrate(const Arguments& arguments) {
  std::vector<std::string> names = usual_compressions();
  std::uint64_t repetitions = 30;
  std::uint64_t records = 16;
  std::string output;
  Options options("calibrate",
                  "Measures what the codecs cost on this machine, in CPU time of one thread, and writes the table that "
                  "the simulator's hosts refer to. Wants an idle machine; some minutes.");
  options.list("--compression", names, "LIST", "what to measure");
  options.number("--repetitions", repetitions, 1, 100000, "the least of so many is taken; 20 or more for a table");
  options.number("--records", records, 1, 1024, "records of 128 KiB of each class of content");
  options.text("--output", output, "FILE", "write it there instead of to standard output");
  auto go_on = options.parse(arguments);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;

  std::vector<Compression> compressions;
  for (const std::string& name : names) {
    const Result<Compression> compression = parse_compression(name);
    if (!compression) return compression.error();
    compressions.push_back(*compression);
  }
  BLKPRESS_TRY(check_output(output));
  const std::vector<ContentSample> samples = content_samples(records);
  sim::CodecCostTable table;
  table.machine = processor_name();
  table.record_bytes = kSampleRecordBytes;
  table.repetitions = repetitions;
  table.libraries = library_versions(compressions);
  table.costs = time_codecs(compressions, samples, repetitions, show_progress);
  if (isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\n");
  BLKPRESS_TRY(write_output(output, sim::to_toml(table)));
  return ExitStatus::done;
}

}  // namespace blkpress::tool
