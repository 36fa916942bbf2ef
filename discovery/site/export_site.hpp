#pragma once
// A cluster in the words of other programs, which read_site() reads again: a node as NCCL's topology XML, a fabric as
// ibnetdiscover or as a table of cables.

#include <string>

#include "models/catalog.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline site {

// As NCCL would dump it. Throws ClusterError for a node that the format cannot hold: drives, several planes of
// NVSwitches, an adapter without a PCI id.
std::string to_nccl_topology(const NodeTemplate& node, const Catalog& catalog);

// Hosts are node0, node1, ..., their adapters mlx5_0 and on, as `ibnetdiscover` lists them. Throws ClusterError if the
// cables are not InfiniBand's.
std::string to_ibnetdiscover(const Fabric& fabric);

// StartDevice,StartPort,EndDevice,EndPort,BandWidth: one line a cable.
std::string to_links_csv(const Fabric& fabric);

}  // namespace fabricast::inline site
