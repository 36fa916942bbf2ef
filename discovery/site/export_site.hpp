#pragma once
// A fabric in the words of other programs, which read_site() reads again: ibnetdiscover, or a table of cables.

#include <string>

#include "topologies/fabric.hpp"

namespace fabricast::inline site {

// Hosts are node0, node1, ..., their adapters mlx5_0 and on, as `ibnetdiscover` lists them. Throws ClusterError if the
// cables are not InfiniBand's.
std::string to_ibnetdiscover(const Fabric& fabric);

// StartDevice,StartPort,EndDevice,EndPort,BandWidth: one line a cable.
std::string to_links_csv(const Fabric& fabric);

}  // namespace fabricast::inline site
