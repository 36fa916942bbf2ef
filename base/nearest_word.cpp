#include "base/nearest_word.hpp"

#include <algorithm>
#include <numeric>

namespace fabricast::inline base {

namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
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

std::string did_you_mean(std::string_view found, const std::vector<std::string>& words, std::string_view otherwise) {
    const std::string near = nearest_word(found, words);
    return near.empty() ? std::string(otherwise) : "; did you mean '" + near + "'?";
}

}  // namespace fabricast::inline base
