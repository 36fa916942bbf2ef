#pragma once
// The catalogue of the program, read once for all of these tests.

#include "models/catalog.hpp"
#include "sim/scenario/catalog_reader.hpp"

namespace fabricast::testing {

inline const Catalog& catalog() {
    static const Catalog catalog = read_catalog();
    return catalog;
}

inline const Part& part(std::string_view kind, std::string_view name) { return catalog().at(kind, name); }

}  // namespace fabricast::testing
