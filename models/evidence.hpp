#pragma once
// What a forecast rests on: the figures that it used, and how similar the measured systems are to the one forecast.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_name.hpp"

namespace fabricast::inline models {

// From strongest to weakest. same_gpu_era_fabric means measurements from several sites, one_site from only one.
enum class Evidence : std::uint8_t { measured_here, same_gpu_era_fabric, one_site, same_family, formula_only };
inline constexpr std::array<std::string_view, 5> evidence_names = {
    "measured here", "same GPU, era and fabric", "same GPU, era and fabric, one site", "same family", "formula only"};
inline std::string_view to_string(Evidence evidence) { return enum_name(evidence_names, evidence); }

// The catalogue's parts of kind `interval` name their figures by what a forecast rests on.
inline constexpr std::array<std::string_view, 5> interval_names = {"measured-here", "same-system", "same-system",
                                                                   "same-family", "formula-only"};

struct FigureUsed {
    std::string part, figure, unit, origin, source;
    double value = 0, low80 = 0, high80 = 0;
};

// Adds what `all` does not contain yet: figures are compared by part and name, notes by their text.
inline void merge_figures(std::vector<FigureUsed>& all, const std::vector<FigureUsed>& more) {
    for (const FigureUsed& figure : more) {
        const auto same = [&](const FigureUsed& f) { return f.part == figure.part && f.figure == figure.figure; };
        if (std::ranges::none_of(all, same)) { all.push_back(figure); }
    }
}
inline void merge_notes(std::vector<std::string>& all, const std::vector<std::string>& more) {
    for (const std::string& note : more) {
        if (std::ranges::find(all, note) == all.end()) { all.push_back(note); }
    }
}

}  // namespace fabricast::inline models
