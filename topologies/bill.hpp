#pragma once
// The bill of materials of a cluster, by construction: what its fabric generator wires is what is bought. Counts only;
// which part, how long and at what price stands above.

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast {

struct SwitchCount {
    std::string tier;  // "leaf", "spine", "core", "router"
    std::uint64_t switches = 0;
    std::uint64_t ports = 0;  // at the link's rate, of all of them; 0: not known (drawn by hand)
    std::uint64_t used = 0;   // of them by cables
    std::uint64_t left() const { return ports > used ? ports - used : 0; }
};

// How far a cable goes; how many metres that is, the layout of the hall says.
enum class CableRun : std::uint8_t { node, trunk, core };

struct CableCount {
    std::string between;  // "node-leaf", "leaf-spine", "group"
    CableRun run = CableRun::node;
    std::uint64_t cables = 0;
};

struct Bill {
    std::uint64_t nodes = 0, gpus = 0, nics = 0;
    std::vector<SwitchCount> switches;  // leaves first
    std::vector<CableCount> cables;     // from the nodes up
    std::uint64_t switch_count() const;
    std::uint64_t cable_count() const;
    std::uint64_t ports_left() const;
};

// Throws ClusterError where the stated management ports find no free port on a leaf.
Bill bill_of(const Fabric& fabric);

}  // namespace fabricast
