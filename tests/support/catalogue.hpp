#pragma once
// The shipped catalogue, read once for all tests of a program.

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"

namespace fabricast {

inline const Catalog& catalogue() {
    static const Catalog shipped = read_catalog();
    return shipped;
}

}  // namespace fabricast
