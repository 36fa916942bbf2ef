#pragma once
// How often this program has called operator new.

#include <cstddef>

namespace fabricast::testing {

std::size_t allocations();

}  // namespace fabricast::testing
