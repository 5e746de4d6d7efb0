#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "blkpress/command.hpp"
#include "blkpress/data_directory.hpp"
#include "blkpress/json.hpp"
#include "blkpress/options.hpp"
#include "blkpress/output.hpp"
#include "blkpress/sim/workload.hpp"
#include "blkpress/sim/world_setting.hpp"

namespace blkpress::tool {
namespace {

struct Request {
  std::vector<std::string> words;  // a job file, or fio's command line behind --
  bool command_line = false;
  std::string host = "tencent-vps";
  std::string device = "hdd-7200";
  std::string filesystem = "zfs";
  std::vector<std::string> properties;
  std::vector<std::string> settings;
  std::string format = "text";
  std::string output;
  std::string data;
  std::uint64_t seed = 1;
  std::uint64_t sample = 8;
};

Result<bool> parse(Arguments arguments, Request& request) {
  Options options(
      "simulate",
      "Says what a fio job would do on any combination of host, device and filesystem, in virtual time: fio's "
      "own output, then what it rests on. Costs of codecs come from the host's table; data is compressed "
      "for real, a sample of it.");
  options.positionals(request.words, "JOBFILE", "a fio job file; or -- and fio's command line", false);
  options.text("--host", request.host, "NAME", "a host of the data directory, or a path");
  options.text("--device", request.device, "NAME", "a device of the data directory, or a path");
  options.text("--filesystem", request.filesystem, "NAME",
               fmt::format("one of: {}", fmt::join(sim::filesystems(), ", ")));
  options.list("-o,--property", request.properties, "NAME=VALUE,...",
               "properties of the filesystem: compression=zstd,recordsize=1M,version=2.1");
  options.list("--set", request.settings, "PART.KEY=VALUE,...",
               "change the device, host or filesystem: device.rpm=10000, host.cores=4, zfs.dirty_data_max=64M");
  options.choice("--format", request.format, {"text", "json"}, "fio's normal output, or its JSON");
  options.text("--output", request.output, "FILE", "write it there instead of to standard output");
  options.number("--seed", request.seed, 0, UINT64_MAX, "of all random numbers");
  options.number("--sample", request.sample, 1, kMiB, "records of each file that are compressed for real");
  options.text("--data", request.data, "DIR", "directory with hosts and devices");
  options.examples(
      "Examples:\n"
      "  blkpress simulate --device hdd-7200 -o compression=zstd job.fio\n"
      "  blkpress simulate --device hdd-7200 --set device.rpm=15000 -- --name=w --rw=write --bs=128k --size=1G\n\n"
      "Exit status: 0 done, 2 usage, or a job that is not simulated, 3 I/O.");
  // What is behind -- is fio's.
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> fio;
  if (dashes != arguments.end()) {
    request.command_line = true;
    fio.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }
  auto go_on = options.parse(arguments);
  if (!go_on || !*go_on) return go_on;
  if (request.command_line && !request.words.empty()) {
    return Error{ErrorKind::usage,
                 fmt::format("simulate: '{}' and --: give a job file or a command line", request.words.front())};
  }
  if (request.command_line) request.words = fio;
  if (request.words.empty()) {
    return Error{ErrorKind::usage, "simulate: no job given: a job file, or -- and fio's command line"};
  }
  if (!request.command_line && request.words.size() > 1) {
    return Error{ErrorKind::usage, fmt::format("simulate: one job file, not '{}' too", request.words[1])};
  }
  return true;
}

// A path as it is; a name is that of a file of the folder. Errors: usage, with the names that there are.
Result<std::string> find_file(const std::string& name, const std::string& what, const std::string& folder) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) return name;
  std::vector<std::string> known;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != ".toml" || stem == "codec_costs") continue;
    if (stem == name) return entry.path().string();
    known.push_back(stem);
  }
  std::sort(known.begin(), known.end());
  return Error{ErrorKind::usage, fmt::format("{} '{}' is unknown; there are {}", what, name, fmt::join(known, ", "))};
}

// Copying a record between a process and the cache: what the host's table has for copying memory.
sim::Duration copy_time(const sim::World& world, std::uint64_t bytes) {
  const auto off = parse_compression("off");
  const auto time = off ? world.host.decompress_time(*off, "zeros", bytes) : Result<sim::Duration>(off.error());
  return time ? *time : sim::Duration{};
}

Result<std::unique_ptr<sim::World>> make_world(const Request& request, const std::string& data,
                                               std::vector<std::string>& statements) {
  sim::WorldOptions options;
  const auto host = find_file(request.host, "host", data + "/hosts");
  if (!host) return host.error();
  const auto device = find_file(request.device, "device", data + "/devices");
  if (!device) return device.error();
  options.host_file = *host;
  options.device_file = *device;
  options.filesystem = request.filesystem;
  options.seed = request.seed;
  std::vector<Property> properties;
  for (const std::string& property : request.properties) {
    const std::size_t equals = property.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorKind::usage, fmt::format("-o '{}' is not NAME=VALUE", property)};
    }
    properties.push_back({property.substr(0, equals), property.substr(equals + 1)});
  }
  BLKPRESS_TRY(sim::apply_filesystem_properties(properties, options));
  for (const std::string& setting : request.settings) BLKPRESS_TRY(sim::apply_world_setting(setting, options));
  auto first = sim::World::make(options);
  if (!first) return first.error();
  const sim::Duration copy = copy_time(**first, options.zfs.recordsize);
  options.write.copy_time.parts = {{copy.ns, copy.ns, 1}};
  options.read.hit_time.points = {{0, copy.ns}, {1, copy.ns}};
  const bool page_cache = (*first)->page_cache != nullptr;
  const sim::Duration page = copy_time(**first, sim::kPageBytes);
  for (sim::PageCacheParameters* parameters : {&options.btrfs_write, &options.f2fs_write}) {
    parameters->write_time = page;
    // Linux, vm.dirty_background_ratio: a tenth of memory.
    parameters->dirty_background = (*first)->host.memory_bytes() / 10;
  }
  statements.push_back(fmt::format("host {}: {} cores, {} MiB of memory, {:.2f} times the speed of {}",
                                   (*first)->host.name(), (*first)->host.cores(), (*first)->host.memory_bytes() >> 20,
                                   (*first)->host.speed(), (*first)->host.costs().machine));
  statements.push_back(page_cache ? fmt::format("device {}; filesystem {}", request.device, request.filesystem)
                                  : fmt::format("device {}; filesystem {}, compression {}, recordsize {}",
                                                request.device, request.filesystem, to_string(options.zfs.compression),
                                                options.zfs.recordsize));
  if (!request.settings.empty()) statements.push_back(fmt::format("set: {}", fmt::join(request.settings, ", ")));
  if (page_cache) {
    statements.push_back(
        fmt::format("from the host's table: {:.2f} us to copy a page into the cache; the kernel's other "
                    "work, locks and commits are not in it, so this is the most that memory allows",
                    static_cast<double>(page.ns) * 1e-3));
    for (const std::string& setting : request.settings) {
      if (!setting.starts_with("zfs.")) continue;
      return Error{ErrorKind::usage,
                   fmt::format("--set {} has no meaning on filesystem {}", setting, request.filesystem)};
    }
  } else {
    statements.push_back(fmt::format(
        "from the host's table: what the codecs cost, and {:.1f} us to copy a record into or out of the cache",
        static_cast<double>(copy.ns) * 1e-3));
  }
  return sim::World::make(options);
}

std::string quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "'" : " '";
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

sim::WorkloadSettings workload_settings(const Request& request) {
  std::error_code ignored;
  return {"simulate",
          "",
          {{request.command_line ? "command" : "job", request.command_line ? quoted(request.words) : request.words[0]},
           {"sample", fmt::format("{}", request.sample)}}};
}

// fio's JSON stays JSON: what blkpress has to say is one more key.
std::string with_statements(std::string json, const std::vector<std::string>& statements, std::uint64_t seed) {
  std::string own = json_text({{"statements", statements}, {"seed", seed}, {"versions", versions_json()}});
  own.pop_back();
  std::string indented;
  for (const char c : own) indented += c == '\n' ? std::string("\n  ") : std::string(1, c);
  json.resize(json.size() - std::string_view("\n}\n").size());
  return json + ",\n  \"blkpress\" : " + indented + "\n}\n";
}

}  // namespace

Result<ExitStatus> command_simulate(const Arguments& arguments) {
  Request request;
  auto go_on = parse(arguments, request);
  if (!go_on) return go_on.error();
  if (!*go_on) return ExitStatus::done;
  const auto data = find_data_directory(request.data);
  if (!data) return data.error();
  BLKPRESS_TRY(check_output(request.output));
  std::vector<std::string> statements;
  const auto world = make_world(request, *data, statements);
  if (!world) return world.error();
  sim::WorkloadSettings settings = workload_settings(request);
  auto result = sim::run_workload("fio", **world, settings);
  if (!result) return result.error();
  statements.push_back(fmt::format("{} of {} records compressed for real, the rest counted by them",
                                   result->records_compressed_for_real, result->records));
  statements.insert(statements.end(), result->notes.begin(), result->notes.end());
  std::string text;
  if (request.format == "json") {
    text = with_statements(result->json, statements, request.seed);
  } else {
    text = result->text + "\nWhat this rests on\n";
    for (const std::string& statement : statements) text += "  " + statement + '\n';
    text += fmt::format("seed {}\n", request.seed);
  }
  BLKPRESS_TRY(write_output(request.output, text));
  return ExitStatus::done;
}

}  // namespace blkpress::tool
