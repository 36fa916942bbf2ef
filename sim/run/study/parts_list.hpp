#pragma once
// What a cluster costs and draws: its bill of materials with the catalogue's prices and watts, line by line.

#include <optional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/run/study/draws.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/bill.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// So many of one part.
struct PartLine {
    std::string what;  // "nodes", "leaf switches", "node-leaf cables of 10 m"
    std::string part;  // of the catalogue
    double count = 0;
    double watts_each = 1;        // so many of the part's watts: both ends of a copper cable
    std::optional<Figure> price;  // USD; nothing: the catalogue has none
    std::optional<Figure> watts;
};

// Cables of one run: how long, of what.
struct CableClass {
    std::string between;
    std::string medium;  // "smf", "dac"
    double metres = 0;
    std::uint64_t cables = 0;
    std::uint64_t modules = 0;  // pluggable, both ends; 0: the cable is of one piece
};

struct PartsList {
    Bill bill;
    std::vector<PartLine> lines;
    std::vector<CableClass> cables;
    std::uint64_t modules() const;
    bool priced() const;                       // every line has a price
    bool powered() const;                      // every line has its watts
    std::vector<std::string> missing() const;  // "no price of tomahawk-9"
};

// Nodes as whole systems where the catalogue has one of that name and nothing about the node was changed, else by their
// GPUs, NICs and hosts. Copper where it reaches, the layout's cable elsewhere. Throws CatalogError, ClusterError.
PartsList parts_list(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog);

// Sums over the lines; of a draw where one is given. Precondition: priced() and powered().
double capital_usd(const PartsList& list, const Draw* draw = nullptr);
double it_watts(const PartsList& list, const Draw* draw = nullptr);
// Of the capital, the share that rests on estimated prices.
double guessed_share(const PartsList& list);

// What owning it costs beside buying: from the parts `data-centre` and `ownership`.
struct Ownership {
    double pue = 1;
    double usd_per_joule = 0;
    double seconds = 0;         // of its life
    double operations_usd = 0;  // facility and people, over its life
    double total_usd(double capital, double watts) const {
        return capital + operations_usd + watts * pue * usd_per_joule * seconds;
    }
};
Ownership ownership(const Catalog& catalog, std::uint64_t gpus, const Draw* draw = nullptr);

// The scenario's `prices` laid over the catalogue. Throws InputError at the key.
void apply_prices(const Scenario& scenario, Catalog& catalog);

}  // namespace fabricast
