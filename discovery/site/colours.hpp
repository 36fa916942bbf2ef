#pragma once
// Whether two graphs of switches are the same, in linear time.

#include <cstdint>
#include <vector>

#include "discovery/site/wiring.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline site {

// Colours that are equal for two graphs of switches with the same cables to the same NICs, whatever the switches are
// called: NICs have colours of their own, and a switch takes its colour from those of its neighbours, in rounds.
std::vector<std::uint64_t> colours(const Wiring& wiring);
std::vector<std::uint64_t> colours(const Fabric& fabric);

}  // namespace fabricast::inline site
