#pragma once
// How often this program has called operator new.

#include <cstddef>

#include "tests/support/sanitizers.hpp"

// ThreadSanitizer has an operator new of its own, beside which nothing is counted.
#define FABRICAST_COUNTS_ALLOCATIONS !FABRICAST_THREAD_SANITIZER

namespace fabricast::testing {

inline constexpr bool counts_allocations = FABRICAST_COUNTS_ALLOCATIONS;

std::size_t allocations();

}  // namespace fabricast::testing
