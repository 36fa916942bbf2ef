#pragma once
// A figure that counts: lanes, ports, links.

#include <cmath>
#include <string>
#include <string_view>

#include "models/catalog.hpp"

namespace fabricast::inline models {

// Rounded. Throws CatalogError if it has a unit, or if no count of parts can be so large.
inline int whole(const Part& part, std::string_view path) {
    const double value = part.number(path, "");
    if (!(std::abs(value) < 1e9)) {
        throw CatalogError("part '" + part.name + "': '" + std::string(path) +
                           "' is not a count (accepted: below 10^9)");
    }
    return static_cast<int>(std::lround(value));
}

}  // namespace fabricast::inline models
