#include "base/text.hpp"

#include <fmt/ranges.h>

#include <iterator>
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

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) { pieces.push_back(text.substr(begin, end - begin)); }
        begin = end + 1;
    }
    return pieces;
}

bool has_word(std::string_view list, std::string_view word) {
    return fmt::format(" {} ", list).find(fmt::format(" {} ", word)) != std::string::npos;
}

std::string plural(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : noun.ends_with("ch") ? "es" : "s");
}

std::string markup_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
    }
    return out;
}

std::string doubly_quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) { out += c == '"' ? "\"\"" : std::string(1, c); }
    return out + "\"";
}

std::string csv_cell(std::string_view text) {
    return text.find_first_of(",\"\n\r") == std::string_view::npos ? std::string(text) : doubly_quoted(text);
}

std::string nearest_word(std::string_view found, const std::vector<std::string>& words) {
    std::string best;
    // A word that begins with what was found is nearer than any other; beyond the distance a word is no typing error.
    std::pair nearest{true, found.size() / 3 + 2};
    for (const std::string& word : words) {
        const std::pair distance{found.empty() || !word.starts_with(found), edit_distance(found, word)};
        if (distance < nearest) {
            nearest = distance;
            best = word;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view found, const std::vector<std::string>& words, std::string_view otherwise) {
    const std::string near = nearest_word(found, words);
    std::vector<std::string> family;  // equally near: h100-nvl and h100-sxm for "h100"
    std::ranges::copy_if(words, std::back_inserter(family), [&](const std::string& word) {
        return word.starts_with(found) && word.size() == near.size();
    });
    constexpr std::size_t most = 4;
    if (near.empty()) { return std::string(otherwise); }
    return family.size() > 1 && family.size() <= most
               ? fmt::format("; did you mean one of {}?", fmt::join(family, ", "))
               : "; did you mean '" + near + "'?";
}

}  // namespace fabricast::inline base
