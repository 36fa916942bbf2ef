#include "base/nearest_word.hpp"

#include <algorithm>

namespace fabricast {

namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
            diagonal = above;
        }
    }
    return row.back();
}

}  // namespace

std::string nearest_word(std::string_view found, const std::vector<std::string>& words) {
    std::string best;
    std::size_t best_distance = found.size() / 3 + 2;  // beyond this it is another word, not a typing error
    for (const std::string& word : words) {
        const std::size_t distance = edit_distance(found, word);
        if (distance < best_distance) {
            best_distance = distance;
            best = word;
        }
    }
    return best;
}

}  // namespace fabricast
