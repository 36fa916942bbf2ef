#include "base/text.hpp"

#include <fmt/core.h>

namespace fabricast::inline base {

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
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    return out + "\"";
}

std::string csv_cell(std::string_view text) {
    return text.find_first_of(",\"\n\r") == std::string_view::npos ? std::string(text) : doubly_quoted(text);
}

}  // namespace fabricast::inline base
