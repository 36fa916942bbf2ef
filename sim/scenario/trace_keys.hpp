#pragma once
// The keys of traces.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

std::vector<Key> trace_keys();

}  // namespace fabricast::inline scenario
