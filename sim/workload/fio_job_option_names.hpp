// Names of fio's options that are not simulated, and other names of those that are.
//
// Threads: pure functions.
#pragma once

#include <string_view>

namespace blkpress::sim {

// What fio's manual says an alias stands for; any other name is returned as it is.
std::string_view fio_option_unaliased(std::string_view name);

// What fio does with it is not visible in virtual time: it is taken and left alone.
bool fio_option_has_no_effect(std::string_view name);

// It is one of the program, such as output: no option of a job.
bool fio_option_is_of_the_program(std::string_view name);

// It would change the result and is not simulated.
bool fio_option_is_refused(std::string_view name);

}  // namespace blkpress::sim
