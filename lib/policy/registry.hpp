// What each policy defines for policies.def: a function that describes it. The name is filled in from the list.
#pragma once

#include "blkpress/policy.hpp"

namespace blkpress {

#define BLKPRESS_POLICY(identifier, name) PolicyInfo identifier##_policy();
#include "policy/policies.def"
#undef BLKPRESS_POLICY

}  // namespace blkpress
