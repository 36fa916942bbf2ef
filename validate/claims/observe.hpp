#pragma once
// Quantities of claims, computed: scenarios are simulated, links asked for what their formulas say.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "models/catalog.hpp"
#include "validate/claims/claim.hpp"

namespace fabricast {

// Quantities of one file under one catalogue. `seed` 0: the scenario's own. What was simulated once is kept.
class Observer {
public:
    // Both must outlive it.
    Observer(const ClaimFile& file, const Catalog& catalog, std::uint64_t seed = 0)
        : file_(file), catalog_(catalog), seed_(seed) {}

    // In SI base units. Throws InputError or CatalogError, naming the claim's file, where a name is unknown.
    double value(const Observation& observation);

private:
    double one(const Observation& observation);
    double of_run(const Observation& observation);

    const ClaimFile& file_;
    const Catalog& catalog_;
    std::uint64_t seed_;
    std::map<std::string, double> kept_;
};

}  // namespace fabricast
