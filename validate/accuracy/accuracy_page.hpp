#pragma once
// docs/accuracy.md, made from the compared rows and the curves that they come from.

#include <string>
#include <vector>

#include "validate/accuracy/collect.hpp"
#include "validate/accuracy/peers.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline validate_accuracy {

// The whole page. It contains nothing that does not follow from the arguments. `of_fits`: figures that fits make, of
// pilots and of the fit itself, beside those of the rows.
std::string accuracy_page(const std::vector<ComparedRow>& rows, const Collection& collection, const KnownMisses& misses,
                          const std::vector<PeerFigure>& peers, const std::vector<NamedFigure>& of_fits);

}  // namespace fabricast::inline validate_accuracy
