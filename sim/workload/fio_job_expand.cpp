#include <fmt/format.h>

#include <algorithm>

#include "workload/fio_job_section.hpp"

namespace blkpress::sim {
namespace {

constexpr std::uint32_t kMaxJobs = 4096;  // fio's own limit

void replace_all(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

std::string file_name(const FioSection& section, std::uint32_t copy) {
  std::string name = section.filename;
  if (name.empty()) {
    name = section.filename_format;
    replace_all(name, "$jobname", section.job.name);
    replace_all(name, "$jobnum", std::to_string(copy));
    replace_all(name, "$filenum", "0");
  }
  return section.directory.empty() ? name : section.directory + "/" + name;
}

// Options whose meaning depends on others.
Status check_section(const FioSection& section) {
  const FioJob& job = section.job;
  const auto usage = [](std::string message) { return Error{ErrorKind::usage, std::move(message)}; };
  if (section.numjobs == 0) return usage("numjobs is 0; 1 or more is right");
  if (job.iodepth == 0) return usage("iodepth is 0; 1 or more is right");
  if (job.iodepth_batch == 0) return usage("iodepth_batch is 0; 1 or more is right");
  if (job.io.access.time_based && job.runtime_ns == 0) return usage("time_based needs a runtime");
  if (job.io.content.verify && section.do_verify) {
    return usage("verify's reading phase is not simulated: add do_verify=0");
  }
  constexpr std::uint64_t kMaxIncrement = std::uint64_t{1} << 48;
  if (section.offset_increment > kMaxIncrement) return usage("offset_increment is above 2^48");
  return ok();
}

FioJob copy_of(const FioSection& section, std::uint32_t copy, const FioParse& parse) {
  FioJob job = section.job;
  job.copy = copy;
  job.file_name = file_name(section, copy);
  job.stonewall = section.job.stonewall && copy == 0;
  job.io.seeding = section.seeding;
  job.io.seeding.entropy = parse.entropy;
  job.io.content.fill = parse.fill;
  job.io.content.depth = job.asynchronous ? job.iodepth : 1;
  job.io.content.gtod_reduce = job.gtod_reduce;
  job.io.access.file_name = job.file_name;
  job.io.access.offset += section.offset_increment * copy;
  return job;
}

}  // namespace

Result<FioJobs> expand_fio_sections(const std::vector<std::pair<std::string, FioSection>>& sections,
                                    const FioParse& parse) {
  FioJobs result;
  std::set<std::string> without_effect;
  std::uint32_t group = 0;
  bool group_has_jobs = false;
  for (std::uint32_t index = 0; index < sections.size(); ++index) {
    const auto& [place, section] = sections[index];
    const auto failed = [&, &where = place](const Error& error) { return Error{error.kind, where + error.message}; };
    if (const Status status = check_section(section); !status) return failed(status.error());
    const auto first = static_cast<std::uint32_t>(result.jobs.size()) + 1;
    const std::uint32_t count = section.numjobs;
    if (count > kMaxJobs || first + count - 1 > kMaxJobs) {
      return failed({ErrorKind::usage, fmt::format("more than {} jobs", kMaxJobs)});
    }
    if ((section.job.stonewall || section.new_group) && group_has_jobs) ++group;
    group_has_jobs = true;
    for (std::uint32_t number = 0; number < count; ++number) {
      // fio numbers the first copy first and the others backwards, and starts them by number.
      FioJob job = copy_of(section, number == 0 ? 0 : count - number, parse);
      job.section = index;
      job.group = group;
      job.io.seeding.job = first + number;
      if (const Status status = check(job.io); !status) return failed(status.error());
      result.jobs.push_back(std::move(job));
    }
    result.section_options.push_back(section.given);
    without_effect.insert(section.without_effect.begin(), section.without_effect.end());
  }
  if (result.jobs.empty()) return Error{ErrorKind::usage, "no jobs are defined"};
  result.without_effect.assign(without_effect.begin(), without_effect.end());
  return result;
}

}  // namespace blkpress::sim
