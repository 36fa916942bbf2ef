#pragma once
// Accepted gaps between forecast and measurement, and their part of docs/deviations.md:
// validate/measurements/deviations.yaml.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "validate/accuracy/accuracy.hpp"

namespace fabricast {

struct Deviation {
    std::string match;  // shell glob over dataset ids
    std::uint32_t nodes_from = 1;
    std::string regime;   // to_string(Regime)
    double at_least = 0;  // %: a gap that became smaller was closed
    std::string reason;
};

// Throws InputError.
std::vector<Deviation> read_deviations(const std::filesystem::path& path);

// The median error of the rows that match, in %; healthy or not. 0 without a row.
double error_of(const Deviation& deviation, const std::vector<AccuracyRow>& rows);

// Its line of the page's table.
std::string deviation_line(const Deviation& deviation, double error);

// The page with its table of curves made anew. Throws IoError where it has none.
std::string with_deviations(const std::string& page, const std::vector<Deviation>& deviations,
                            const std::vector<AccuracyRow>& rows);

}  // namespace fabricast
