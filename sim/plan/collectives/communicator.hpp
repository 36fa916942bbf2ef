#pragma once
// What NCCL finds out about a fabric before it searches and tunes.

#include "sim/plan/collectives/nccl/environment.hpp"
#include "sim/plan/collectives/nccl/search.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// Line rate of one NIC, all its ports, in bytes per second; 0 on one node.
double port_rate(const Fabric& fabric);

nccl::Communicator communicator(const Fabric& fabric, const nccl::TopologySearchResult& found,
                                const nccl::Environment& environment);

}  // namespace fabricast
