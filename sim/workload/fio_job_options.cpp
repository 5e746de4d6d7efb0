#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "workload/fio_job_option_names.hpp"
#include "workload/fio_job_section.hpp"
#include "workload/fio_job_values.hpp"

namespace blkpress::sim {
namespace {

template <class... Args>
Error usage(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorKind::usage, fmt::format(text, std::forward<Args>(args)...)};
}

using Setter = Status (*)(FioSection& section, std::string_view value);

// Stores a parsed value, or passes its error on.
template <class T, class U>
Status store(Result<T> parsed, U& target) {
  if (!parsed) return parsed.error();
  if constexpr (std::is_integral_v<T> && std::is_integral_v<U> && !std::is_same_v<U, bool>) {
    if (*parsed > std::numeric_limits<U>::max()) return usage("{} is too large", *parsed);
    target = static_cast<U>(*parsed);
  } else {
    target = std::move(*parsed);
  }
  return ok();
}

// "a" or "a,b" or "a,b,c" for reads, writes, trims; a missing one is the one before it.
template <class T, class Parse>
Status store_per_direction(std::string_view value, PerDirection<T>& target, Parse parse) {
  const auto parts = split_list(value, ',');
  if (parts.size() > 3) return usage("'{}' has more than three parts", shown(value));
  for (std::size_t d = 0; d < 2; ++d) {
    const std::string_view part = parts[std::min(d, parts.size() - 1)];
    if (part.empty()) continue;  // ",8k" leaves the reads as they are
    BLKPRESS_TRY(parse(part, target[d]));
  }
  return ok();
}

Status set_rw(FioSection& section, std::string_view value) {
  FioAccess& access = section.job.io.access;
  const std::size_t colon = value.find(':');
  const std::string_view name = value.substr(0, colon);
  struct Pattern {
    std::string_view name;
    bool random, reads, writes;
  };
  constexpr Pattern kPatterns[] = {
      {"read", false, true, false},     {"write", false, false, true}, {"randread", true, true, false},
      {"randwrite", true, false, true}, {"rw", false, true, true},     {"readwrite", false, true, true},
      {"randrw", true, true, true},
  };
  const auto* pattern =
      std::find_if(std::begin(kPatterns), std::end(kPatterns), [&](auto& p) { return p.name == name; });
  if (pattern == std::end(kPatterns)) {
    return usage("'{}' is none of read, write, randread, randwrite, rw, randrw", shown(name));
  }
  access.random = pattern->random;
  access.reads = pattern->reads;
  access.writes = pattern->writes;
  access.sequence = 0;
  if (colon == std::string_view::npos) return ok();
  const std::string_view suffix = value.substr(colon + 1);
  if (suffix.starts_with('-')) return usage("'{}': backward I/O is not simulated", shown(value));
  return store(access.random ? parse_fio_count(suffix) : parse_fio_bytes(suffix, section.kb_base), access.sequence);
}

Status set_bs(FioSection& section, std::string_view value) {
  return store_per_direction(value, section.job.io.access.block_sizes,
                             [&](std::string_view part, FioBlockSizes& sizes) {
                               const auto size = parse_fio_bytes(part, section.kb_base);
                               if (!size) return Status(size.error());
                               sizes = {*size, *size, {}};
                               return ok();
                             });
}

Status set_bsrange(FioSection& section, std::string_view value) {
  return store_per_direction(value, section.job.io.access.block_sizes,
                             [&](std::string_view part, FioBlockSizes& sizes) {
                               auto ends = split_list(part, '-');
                               if (ends.size() == 1) ends = split_list(part, ':');
                               if (ends.size() != 2)
                                 return Status(usage("'{}' is not a range such as 4k-64k", shown(part)));
                               const auto min = parse_fio_bytes(ends[0], section.kb_base);
                               if (!min) return Status(min.error());
                               const auto max = parse_fio_bytes(ends[1], section.kb_base);
                               if (!max) return Status(max.error());
                               sizes = {std::min(*min, *max), std::max(*min, *max), {}};
                               return ok();
                             });
}

Status set_bssplit(FioSection& section, std::string_view value) {
  return store_per_direction(
      value, section.job.io.access.block_sizes, [&](std::string_view part, FioBlockSizes& sizes) {
        auto entries = parse_fio_split(part, section.kb_base);
        if (!entries) return Status(entries.error());
        const auto by_size = [](const FioSplit& a, const FioSplit& b) { return a.size < b.size; };
        const auto [min, max] = std::minmax_element(entries->begin(), entries->end(), by_size);
        const FioBlockSizes made{min->size, max->size, *entries};
        sizes = made;
        return ok();
      });
}

Status set_ba(FioSection& section, std::string_view value) {
  return store_per_direction(value, section.job.io.access.block_align,
                             [&](std::string_view part, std::optional<std::uint64_t>& align) {
                               return store(parse_fio_bytes(part, section.kb_base), align);
                             });
}

Status set_generator(FioSection& section, std::string_view value) {
  FioGenerator& generator = section.job.io.access.generator;
  if (value == "tausworthe") return generator = FioGenerator::tausworthe, ok();
  if (value == "tausworthe64") return generator = FioGenerator::tausworthe64, ok();
  if (value == "lfsr") return generator = FioGenerator::lfsr, ok();
  return usage("'{}' is none of tausworthe, tausworthe64, lfsr", shown(value));
}

Status set_dedupe_mode(FioSection& section, std::string_view value) {
  FioDedupeMode& mode = section.job.io.content.dedupe_mode;
  if (value == "repeat") return mode = FioDedupeMode::repeat, ok();
  if (value == "working_set") return mode = FioDedupeMode::working_set, ok();
  return usage("'{}' is neither repeat nor working_set", shown(value));
}

Status set_fallocate(FioSection& section, std::string_view value) {
  FioFallocate& mode = section.job.fallocate;
  if (value == "none" || value == "0") return mode = FioFallocate::none, ok();
  if (value == "native" || value == "posix" || value == "1") return mode = FioFallocate::posix, ok();
  if (value == "keep") return mode = FioFallocate::keep, ok();
  if (value == "truncate") return mode = FioFallocate::truncate, ok();
  return usage("'{}' is none of none, native, posix, keep, truncate", shown(value));
}

Status set_engine(FioSection& section, std::string_view value) {
  constexpr std::string_view kSynchronous[] = {"psync", "sync", "pvsync", "pvsync2", "vsync", "mmap"};
  constexpr std::string_view kAsynchronous[] = {"libaio", "posixaio", "io_uring"};
  const auto among = [&](auto& names) {
    return std::find(std::begin(names), std::end(names), value) != std::end(names);
  };
  if (!among(kSynchronous) && !among(kAsynchronous)) {
    return usage("'{}' is not simulated; psync, sync, pvsync, pvsync2, vsync, mmap, libaio, posixaio, io_uring are",
                 shown(value));
  }
  section.job.engine = std::string(value);
  section.job.asynchronous = among(kAsynchronous);
  return ok();
}

Status set_sync(FioSection& section, std::string_view value) {
  if (value == "none") return section.job.sync = false, ok();
  if (value == "sync" || value == "dsync") return section.job.sync = true, ok();
  return store(parse_fio_bool(value), section.job.sync);
}

Status set_kb_base(FioSection& section, std::string_view value) {
  if (value != "1000" && value != "1024") return usage("'{}' is neither 1000 nor 1024", shown(value));
  return store(parse_fio_count(value), section.kb_base);
}

Status set_text(std::string& target, std::string_view value) {
  constexpr std::size_t kMaxPath = 4096;
  if (value.empty()) return usage("is empty");
  if (value.size() > kMaxPath) return usage("is longer than {} characters", kMaxPath);
  target = std::string(value);
  return ok();
}

Status set_filename(FioSection& section, std::string_view value) {
  if (value.find(':') != std::string_view::npos)
    return usage("'{}': several files per job are not simulated", shown(value));
  return set_text(section.filename, value);
}

Status set_nrfiles(FioSection&, std::string_view value) {
  std::uint64_t files = 0;
  BLKPRESS_TRY(store(parse_fio_count(value), files));
  if (files != 1) return usage("{} files per job are not simulated; 1 is", files);
  return ok();
}

// Zero, which is fio's default, leaves the job as it is.
Status set_rwmixwrite(FioSection& section, std::string_view value) {
  std::uint64_t percent = 0;
  BLKPRESS_TRY(store(parse_fio_count(value), percent));
  if (percent > 100) return usage("{} is above 100", percent);
  section.job.io.access.rwmixread = static_cast<std::uint32_t>(100 - percent);
  return ok();
}

Status set_offset(FioSection& s, std::string_view v) {
  return store(parse_fio_bytes(v, s.kb_base), s.job.io.access.offset);
}

Status set_verify(FioSection& section, std::string_view value) {
  section.job.io.content.verify = value != "0" && value != "none" && value != "null";
  return ok();
}

Status set_percentage_random(FioSection& section, std::string_view value) {
  return store_per_direction(
      value, section.job.io.access.percentage_random,
      [](std::string_view part, std::uint32_t& percent) { return store(parse_fio_count(part), percent); });
}

struct Option {
  std::string_view name;
  Setter set;
  bool flag = false;  // may stand without a value, which then is 1
};

// A row for a field: how its value is parsed and where it goes.
#define FIELD(parse, target) [](FioSection& s, std::string_view v) { return store(parse(v), s.target); }
#define BYTES(target) [](FioSection& s, std::string_view v) { return store(parse_fio_bytes(v, s.kb_base), s.target); }

constexpr Option kSimulated[] = {
    {"name", [](FioSection& s, std::string_view v) { return set_text(s.job.name, v); }},
    {"filename", set_filename},
    {"directory", [](FioSection& s, std::string_view v) { return set_text(s.directory, v); }},
    {"filename_format", [](FioSection& s, std::string_view v) { return set_text(s.filename_format, v); }},
    {"nrfiles", set_nrfiles},
    {"numjobs", FIELD(parse_fio_count, numjobs)},
    {"group_reporting", FIELD(parse_fio_bool, job.group_reporting), true},
    {"new_group", FIELD(parse_fio_bool, new_group), true},
    {"stonewall", FIELD(parse_fio_bool, job.stonewall), true},
    {"kb_base", set_kb_base},
    {"rw", set_rw},
    {"bs", set_bs},
    {"bsrange", set_bsrange},
    {"bssplit", set_bssplit},
    {"bs_unaligned", FIELD(parse_fio_bool, job.io.access.bs_unaligned), true},
    {"ba", set_ba},
    {"size", BYTES(job.io.access.size)},
    {"io_size", BYTES(job.io.access.io_size)},
    {"offset", set_offset},
    {"offset_increment", BYTES(offset_increment)},
    {"loops", FIELD(parse_fio_count, job.io.access.loops)},
    {"number_ios", FIELD(parse_fio_count, job.io.access.number_ios)},
    {"time_based", FIELD(parse_fio_bool, job.io.access.time_based), true},
    {"runtime", FIELD(parse_fio_duration, job.runtime_ns)},
    {"ramp_time", FIELD(parse_fio_duration, job.ramp_time_ns)},
    {"startdelay", FIELD(parse_fio_duration, job.start_delay_ns)},
    {"rwmixread", FIELD(parse_fio_count, job.io.access.rwmixread)},
    {"rwmixwrite", set_rwmixwrite},
    {"norandommap", FIELD(parse_fio_bool, job.io.access.norandommap), true},
    {"random_generator", set_generator},
    {"random_distribution", FIELD(parse_fio_distribution, job.io.access.distribution)},
    {"percentage_random", set_percentage_random},
    {"randrepeat", FIELD(parse_fio_bool, seeding.randrepeat), true},
    {"allrandrepeat", FIELD(parse_fio_bool, seeding.allrandrepeat), true},
    {"randseed", FIELD(parse_fio_count, seeding.randseed)},
    {"refill_buffers", FIELD(parse_fio_bool, job.io.content.refill_buffers), true},
    {"scramble_buffers", FIELD(parse_fio_bool, job.io.content.scramble_buffers), true},
    {"zero_buffers", FIELD(parse_fio_bool, job.io.content.zero_buffers), true},
    {"buffer_pattern", FIELD(parse_fio_pattern, job.io.content.pattern)},
    {"buffer_compress_percentage", FIELD(parse_fio_count, job.io.content.compress_percentage)},
    {"buffer_compress_chunk", BYTES(job.io.content.compress_chunk)},
    {"dedupe_percentage", FIELD(parse_fio_count, job.io.content.dedupe_percentage)},
    {"dedupe_mode", set_dedupe_mode},
    {"dedupe_working_set_percentage", FIELD(parse_fio_count, job.io.content.dedupe_working_set_percentage)},
    {"verify", set_verify},
    {"do_verify", FIELD(parse_fio_bool, do_verify), true},
    {"invalidate", FIELD(parse_fio_bool, job.invalidate), true},
    {"ioengine", set_engine},
    {"iodepth", FIELD(parse_fio_count, job.iodepth)},
    {"iodepth_batch", FIELD(parse_fio_count, job.iodepth_batch)},
    {"direct", FIELD(parse_fio_bool, job.direct), true},
    {"buffered",
     [](FioSection& s, std::string_view v) {
       const Status parsed = store(parse_fio_bool(v), s.job.direct);
       s.job.direct = !s.job.direct;
       return parsed;
     },
     true},
    {"sync", set_sync, true},
    {"fsync", FIELD(parse_fio_count, job.fsync)},
    {"fdatasync", FIELD(parse_fio_count, job.fdatasync)},
    {"end_fsync", FIELD(parse_fio_bool, job.end_fsync), true},
    {"fsync_on_close", FIELD(parse_fio_bool, job.fsync_on_close), true},
    {"fallocate", set_fallocate},
    {"gtod_reduce", FIELD(parse_fio_bool, job.gtod_reduce), true},
    {"unlink", FIELD(parse_fio_bool, job.unlink), true},
};
#undef FIELD
#undef BYTES

}  // namespace

Status set_fio_option(FioSection& section, std::string_view given, std::optional<std::string_view> value) {
  const std::string_view name = fio_option_unaliased(given);
  if (!fio_option_is_of_the_program(name)) section.given.emplace_back(given, value.value_or(""));
  const auto* option =
      std::find_if(std::begin(kSimulated), std::end(kSimulated), [&](const Option& o) { return o.name == name; });
  if (option != std::end(kSimulated)) {
    if (!value && !option->flag) return usage("option {} needs a value", name);
    if (const Status set = option->set(section, value.value_or("1")); !set) {
      return usage("option {}: {}", name, set.error().message);
    }
    return ok();
  }
  if (fio_option_has_no_effect(name)) {
    section.without_effect.emplace(name);
    return ok();
  }
  if (fio_option_is_refused(name))
    return usage("option {} is not simulated and would change the result; remove it", name);
  return usage("option {} is unknown; the documentation lists those that are known", shown(given));
}

bool fio_option_is_flag(std::string_view given) {
  const std::string_view name = fio_option_unaliased(given);
  const auto same = [&](const Option& o) { return o.name == name && o.flag; };
  return std::any_of(std::begin(kSimulated), std::end(kSimulated), same) || fio_option_has_no_effect(name);
}

std::vector<std::string_view> fio_options_simulated() {
  std::vector<std::string_view> names;
  for (const Option& option : kSimulated) names.push_back(option.name);
  return names;
}

}  // namespace blkpress::sim
