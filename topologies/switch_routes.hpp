#pragma once
// The way between two switches of the fabric, as in-network reduction and a curious user ask for it. Fewest trunks, the
// first of equal ones; walks the trunks each time, so nothing for an inner loop.

#include <optional>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast {

// Both must be fabric switches. Nothing where no trunks lead there.
std::optional<std::vector<LinkId>> route_between_switches(const Fabric& fabric, DeviceId from, DeviceId to);

}  // namespace fabricast
