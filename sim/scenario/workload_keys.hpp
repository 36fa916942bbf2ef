#pragma once
// The keys of workloads, of every kind.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

std::vector<Key> workload_keys();

}  // namespace fabricast::inline scenario
