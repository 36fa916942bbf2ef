#pragma once
// The shipped catalogue, read once for all tests of a program.

#include "sim/scenario/catalog_reader.hpp"

namespace fabricast {

inline const Catalog& catalogue() {
    static const Catalog shipped = read_catalog();
    return shipped;
}

}  // namespace fabricast
