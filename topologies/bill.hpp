#pragma once
// The bill of materials of a cluster, in counts: what its generator wires is bought. Higher rooms add parts and prices.

#include <cstdint>
#include <string>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast::inline topologies {

struct SwitchCount {
    std::string tier;  // "leaf", "spine", "core", "router"
    std::uint64_t switches = 0;
    std::uint64_t ports = 0;  // of all switches together, at the link's rate; 0: unknown (explicit graph)
    std::uint64_t used = 0;   // ports with a cable
    std::uint64_t left() const { return ports > used ? ports - used : 0; }
};

// How far a cable goes; the layout of the data hall gives its length in metres.
enum class CableRun : std::uint8_t { node, trunk, core };

struct CableCount {
    std::string between;  // "node-leaf", "leaf-spine", "group"
    CableRun run = CableRun::node;
    std::uint64_t cables = 0;
};

struct Bill {
    std::uint64_t nodes = 0, gpus = 0, nics = 0;
    std::vector<SwitchCount> switches;  // from the leaves up
    std::vector<CableCount> cables;     // from the nodes up
    std::uint64_t switch_count() const;
    std::uint64_t cable_count() const;
    std::uint64_t ports_left() const;
};

// Throws ClusterError if the leaves have too few free ports for the stated management ports.
Bill bill_of(const Fabric& fabric);

}  // namespace fabricast::inline topologies
