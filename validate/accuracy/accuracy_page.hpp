#pragma once
// docs/accuracy.md, made from the compared rows and the curves that they come from.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/accuracy/collect.hpp"
#include "validate/score/compared_row.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline validate_accuracy {

struct PeerFigure {
    std::string peer, what, source;
    double error_pct = 0;
    std::string tables;  // ours: a glob over dataset ids
};

// Throws InputError.
std::vector<PeerFigure> read_peers(const std::filesystem::path& path);

// The whole page. It contains nothing that does not follow from the arguments. `of_fits`: figures that fits make, of
// pilots and of the fit itself, beside those of the rows.
std::string accuracy_page(const std::vector<ComparedRow>& rows, const Collection& collection, const KnownMisses& misses,
                          const std::vector<PeerFigure>& peers, const std::vector<NamedFigure>& of_fits);

}  // namespace fabricast::inline validate_accuracy
