#pragma once
// The keys of transfers.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

std::vector<Key> transfer_keys();

}  // namespace fabricast::inline scenario
