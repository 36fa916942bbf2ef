#pragma once
// A part of the program's catalogue, for these tests.

#include "models/catalog.hpp"
#include "tests/support/catalogue.hpp"

namespace fabricast::testing {

inline const Catalog& catalog() { return catalogue(); }

inline const Part& part(std::string_view kind, std::string_view name) { return catalogue().at(kind, name); }

}  // namespace fabricast::testing
