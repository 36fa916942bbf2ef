#include "base/text.hpp"

#include <fmt/core.h>

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
