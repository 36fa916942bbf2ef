#pragma once
// Rings of one node whose NVLinks join only some of its GPUs: pairs or fours of cards under a bridge, the rest over
// PCIe.

#include <cstdint>
#include <vector>

#include "sim/plan/collectives/nccl/node_bandwidths.hpp"

namespace fabricast::inline collectives::nccl {

// Whether this is one node, and a ring of it takes NVLinks and PCIe.
bool partly_on_nvlink(const NodeBandwidths& node);

// How many groups of GPUs NVLinks join.
int bridged_groups(const NodeBandwidths& node);

// At most `most` rings of this speed, as NCCL's search finds them: each takes its speed from every link that it uses.
// All alike, the first in index order, unless rings that differ are more: those leave a bridge by different cards, so
// that one card's slot does not carry all of them.
std::vector<std::vector<std::uint16_t>> pcie_rings(const NodeBandwidths& node, double speed, int most);

}  // namespace fabricast::inline collectives::nccl
