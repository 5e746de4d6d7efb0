// The options of one section of a fio job file while it is being read, and the table of options that sets them.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blkpress/sim/fio_job.hpp"

namespace blkpress::sim {

// What a section says before numjobs and defaults that depend on several options are worked out.
struct FioSection {
  FioJob job;
  FioSeeding seeding;
  std::uint32_t numjobs = 1;
  std::uint64_t kb_base = 1024;
  std::string directory;
  std::string filename;
  std::string filename_format = "$jobname.$jobnum.$filenum";
  std::uint64_t offset_increment = 0;
  bool new_group = false;
  bool do_verify = true;
  std::set<std::string, std::less<>> without_effect;
  std::vector<std::pair<std::string, std::string>> given =
      {};  // options of this section alone, as fio's JSON lists them
};

// Sets the option; a value that is missing is that of fio for a bare option (true). Errors: usage, without place.
Status set_fio_option(FioSection& section, std::string_view option, std::optional<std::string_view> value);

// True when the option may stand without a value, so that a command line's next word is not its value.
bool fio_option_is_flag(std::string_view name);

// Gives the jobs of all sections fio's numbers, groups, file names and depths, and checks them. sections[i].first is
// where the section stands, for messages.
Result<FioJobs> expand_fio_sections(const std::vector<std::pair<std::string, FioSection>>& sections,
                                    const FioParse& parse);

}  // namespace blkpress::sim
