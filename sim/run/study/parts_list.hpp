#pragma once
// The parts of a cluster: its bill of materials with the catalogue's prices and watts, line by line.

#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/bill.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline studies {

// A number of one part.
struct PartLine {
    std::string what;  // "nodes", "leaf switches", "node-leaf cables of 10 m"
    std::string part;  // catalogue name
    double count = 0;
    double watts_each = 1;        // multiple of the part's power: 2 for both ends of a copper cable
    std::optional<Figure> price;  // USD; none if the catalogue has no price
    std::optional<Figure> watts;
    // The part whose power is drawn: for hosts of changed nodes, the system that they are part of.
    std::string watts_of;
};

// The cables of one run: their length and medium.
struct CableClass {
    std::string between;
    std::string medium;  // "smf", "dac"
    double metres = 0;
    std::uint64_t cables = 0;
    std::uint64_t modules = 0;  // pluggable modules, both ends counted; 0: the cable comes with its ends
};

struct PartsList {
    Bill bill;
    std::vector<PartLine> lines;
    std::vector<CableClass> cables;
    std::uint64_t modules() const;
    bool priced() const;                       // every line has a price
    bool powered() const;                      // every line has a power
    std::vector<std::string> missing() const;  // "no price of tomahawk-9"
};

// Nodes are priced as whole systems if the catalogue has a system for the template, and the scenario changed neither
// the GPU nor the numbers of NICs and NIC ports; else as GPUs, NICs and hosts. GPUs that `gpus_per_node` leaves unused
// are bought. The hosts of changed nodes draw the system's power less that of its GPUs and NICs. Cables are copper
// within its reach, the layout's cable elsewhere. Throws CatalogError, ClusterError.
PartsList parts_list(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog);

// The system that the nodes' power rests on; "" if on the sum of parts with the catalogue's usual host.
std::string power_basis(const PartsList& list);

}  // namespace fabricast::inline studies
