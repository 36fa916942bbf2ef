#include "base/text.hpp"

#include <fmt/core.h>

namespace fabricast::inline base {

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
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
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

}  // namespace fabricast::inline base
