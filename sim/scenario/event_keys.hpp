#pragma once
// The keys of events.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> event_keys();

}  // namespace fabricast
