#pragma once
// What other simulators publish about their own errors, beside ours on the same kind of machine.

#include <filesystem>
#include <string>
#include <vector>

#include "validate/score/compared_row.hpp"

namespace fabricast::inline validate_accuracy {

struct PeerFigure {
    std::string peer, what, source;
    double error_pct = 0;
    std::string tables;  // ours: a glob over dataset ids
};

// Throws InputError.
std::vector<PeerFigure> read_peers(const std::filesystem::path& path);

// One line for each published figure. Ours: the forecasts of fits without the publisher of those rows, by the same
// statistic.
std::string peers_table(const std::vector<PeerFigure>& peers, const std::vector<ComparedRow>& rows);

}  // namespace fabricast::inline validate_accuracy
