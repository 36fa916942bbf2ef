#pragma once
// What it costs to buy, to power and to own a list of parts.

#include <cstdint>

#include "models/catalog.hpp"
#include "sim/run/study/draws.hpp"
#include "sim/run/study/parts_list.hpp"

namespace fabricast::inline studies {

// Sums over the lines, USD and watts, of a draw if given. Precondition: priced() and powered(), respectively.
double capital_usd(const PartsList& list, const Draw* draw = nullptr);
double it_watts(const PartsList& list, const Draw* draw = nullptr);
// The share of the capital that rests on estimated prices.
double guessed_share(const PartsList& list);

// What owning a cluster costs in addition to buying it: from the parts `data-centre` and `ownership`.
struct Ownership {
    double pue = 1;
    double usd_per_joule = 0;
    double seconds = 0;         // service life
    double operations_usd = 0;  // facility and staff, over the service life
    double total_usd(double capital, double watts) const {
        return capital + operations_usd + watts * pue * usd_per_joule * seconds;
    }
};
Ownership ownership(const Catalog& catalog, std::uint64_t gpus, const Draw* draw = nullptr);

}  // namespace fabricast::inline studies
