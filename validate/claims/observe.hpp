#pragma once
// Computes the quantities of claims: simulates scenarios and evaluates the formulas of links.

#include <cstdint>
#include <map>
#include <string>

#include "models/catalog.hpp"
#include "validate/claims/claim.hpp"

namespace fabricast::inline claims {

// Computes quantities of one file under one catalogue. `seed` 0: the scenario's. Each simulation runs once.
class Observer {
public:
    // `file` and `catalog` must outlive the observer.
    Observer(const ClaimFile& file, const Catalog& catalog, std::uint64_t seed = 0)
        : file_(file), catalog_(catalog), seed_(seed) {}

    // In SI base units. Throws InputError or CatalogError if a name is unknown; the message names the claims file.
    double value(const Observation& observation);

private:
    double one(const Observation& observation);
    double of_run(const Observation& observation);

    const ClaimFile& file_;
    const Catalog& catalog_;
    std::uint64_t seed_;
    std::map<std::string, double> kept_;
};

}  // namespace fabricast::inline claims
