#include "models/evidence.hpp"

#include <algorithm>

namespace fabricast::inline models {

void merge_figures(std::vector<FigureUsed>& all, const std::vector<FigureUsed>& more) {
    for (const FigureUsed& figure : more) {
        const bool known = std::any_of(all.begin(), all.end(), [&](const FigureUsed& other) {
            return other.part == figure.part && other.figure == figure.figure;
        });
        if (!known) { all.push_back(figure); }
    }
}

void merge_notes(std::vector<std::string>& all, const std::vector<std::string>& more) {
    for (const std::string& note : more) {
        if (std::find(all.begin(), all.end(), note) == all.end()) { all.push_back(note); }
    }
}

}  // namespace fabricast::inline models
