#pragma once
// How often this program has called operator new.

#include <cstddef>

// ThreadSanitizer has an operator new of its own, beside which nothing is counted.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FABRICAST_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef FABRICAST_COUNTS_ALLOCATIONS
#define FABRICAST_COUNTS_ALLOCATIONS 1
#endif

namespace fabricast::testing {

inline constexpr bool counts_allocations = FABRICAST_COUNTS_ALLOCATIONS == 1;

std::size_t allocations();

}  // namespace fabricast::testing
