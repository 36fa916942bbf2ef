#pragma once
// The keys of a trace workload, for the table in keys.cpp.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> trace_keys();

}  // namespace fabricast
