#pragma once
// The keys of events.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

std::vector<Key> event_keys();

}  // namespace fabricast::inline scenario
