#pragma once
// Accepted gaps of forecasts (validate/measurements/deviations.yaml), and their table in docs/deviations.md.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "validate/score/compared_row.hpp"

namespace fabricast::inline validate_accuracy {

struct Deviation {
    std::string match;  // shell glob over dataset ids
    std::uint32_t nodes_from = 1;
    Regime regime = Regime::small;
    double at_least = 0;  // in %; an error below this means that the gap was closed
    std::string reason;
};

// Throws InputError.
std::vector<Deviation> read_deviations(const std::filesystem::path& path);

// The median error of the matching rows in %, healthy or not; 0 if no row matches.
double error_of(const Deviation& deviation, const std::vector<ComparedRow>& rows);

// The page with its table of curves replaced. Throws IoError if the page has no such table.
std::string with_deviations(const std::string& page, const std::vector<Deviation>& deviations,
                            const std::vector<ComparedRow>& rows);

}  // namespace fabricast::inline validate_accuracy
