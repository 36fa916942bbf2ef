#pragma once
// Small text functions that several modules share.

#include <algorithm>
#include <string>
#include <string_view>

namespace fabricast {

// `text` with ASCII letters in lower case, in any locale.
inline std::string lower_case(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

// `text` without the characters of `blanks` at either end.
inline std::string_view trimmed(std::string_view text, std::string_view blanks) {
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Escapes text for HTML, XML and SVG: the four characters that could end a text or an attribute become named entities
// (HTML 4.01, section 5.3.2).
inline std::string markup_text(std::string_view text) {
    std::string out;
    for (const char c : text) {
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
    }
    return out;
}

// Quotes a CSV cell if needed (RFC 4180), so that a comma, a quote or a line break in a name does not start a new cell.
inline std::string csv_cell(std::string_view text) {
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
        return std::string(text);
    }
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    return out + "\"";
}

}  // namespace fabricast
