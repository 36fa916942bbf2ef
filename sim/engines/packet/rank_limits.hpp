#pragma once
// Which replays ranks can share, and whether they have been given the same one.

#include <cstdint>
#include <string>

#include "sim/engines/packet/shared.hpp"

namespace fabricast::inline packet {

// Why this replay cannot be shared among ranks, in words that follow "because"; empty: it can. `shared` has its islands
// divided among them.
std::string why_not_shared(const Shared& shared, const ReplayTask& task);

// Equal if two ranks have made the same network and traffic.
std::uint64_t fingerprint(const Shared& shared);

}  // namespace fabricast::inline packet
