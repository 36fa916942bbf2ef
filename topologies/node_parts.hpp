#pragma once
// A node told by its parts, in place of its devices and cables:
//
//   gpus: {part: l40s, count: 8, joined: pcie}     # or nvswitch, mesh, bridges
//   cpus: {part: epyc-genoa, count: 2}
//   pcie: two GPUs and a NIC a switch              # or: GPUs on root ports
//   nics: {part: connectx-7, count: 4}
//
// What is left out follows from the parts: the links between GPUs and how many (`link`, `links`), the PCIe slots
// (`slot`), the PCIe switch (`switch`) and its way up (`uplink`), the port and the ports of a NIC (`port`, `ports`),
// whether peers reach each other (`peer_to_peer`). `bridges` join neighbours two by two, or `group` by `group`; of more
// than two CPUs, `joined` says whether they are joined in `pairs` or `all`. `devices`, `cables` and `mesh` of
// node_reader.hpp may stand beside these keys, and come behind what they make.

#include "base/yaml.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline topologies {

// Whether the node is told by its parts: `gpus` is a map.
bool told_by_parts(const yaml::Node& node);

// The same node as a template with devices and cables, every value at the place of what it follows from. Throws
// InputError at the value that is wrong or contradicts another. Precondition: told_by_parts(node).
yaml::Node written_out(const yaml::Node& node, const Catalog& catalog);

}  // namespace fabricast::inline topologies
