// Mechanisms that a replay can do without: how one sees what each of them explains.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "blkpress/result.hpp"
#include "experiment/experiment_file.hpp"

namespace blkpress::sim {

struct Mechanism {
  std::string_view name;         // "write-delay"
  std::string_view description;  // one line: what happens without it
  void (*remove)(Experiment& experiment);
};

std::span<const Mechanism> mechanisms();

// Errors: usage, listing the mechanisms.
Status remove_mechanism(std::string_view name, Experiment& experiment);

}  // namespace blkpress::sim
