#pragma once
// The catalogue inside the program.

#include "models/catalog.hpp"

namespace fabricast::inline models {

// models/catalog/*.yaml, read and checked when the program was built.
Catalog read_catalog();

}  // namespace fabricast::inline models
