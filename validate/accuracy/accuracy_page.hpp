#pragma once
// docs/accuracy.md, made from the compared rows and the curves that they come from.

#include <string>
#include <vector>

#include "validate/accuracy/collect.hpp"

namespace fabricast::inline validate_accuracy {

// The whole page. It contains nothing that does not follow from the arguments.
std::string accuracy_page(const std::vector<ComparedRow>& rows, const Collection& collection,
                          const KnownMisses& misses);

}  // namespace fabricast::inline validate_accuracy
