#pragma once
// The keys of transfers.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> transfer_keys();

}  // namespace fabricast
