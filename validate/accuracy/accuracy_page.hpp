#pragma once
// docs/accuracy.md and the table of docs/deviations.md, made from the compared rows and the curves that they come from.

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

// The median error in % of the rows that the deviation names, healthy or not; 0 if there is none.
double error_of(const Deviation& deviation, const std::vector<ComparedRow>& rows);

// docs/deviations.md with its table of curves replaced. Throws IoError if the page has no such table.
std::string with_deviations(const std::string& page, const std::vector<Deviation>& deviations,
                            const std::vector<ComparedRow>& rows);

}  // namespace fabricast::inline validate_accuracy
