#pragma once
// The keys of `events`: what changes while a scenario runs.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> event_keys();

}  // namespace fabricast
