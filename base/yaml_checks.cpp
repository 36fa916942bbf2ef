#include "base/yaml_checks.hpp"

#include <algorithm>

namespace fabricast::inline base::yaml {

void refuse_tab_indentation(std::string_view text, const std::shared_ptr<const std::string>& file) {
    int line = 1;
    bool indenting = true;
    int column = 0;
    for (const char c : text) {
        ++column;
        if (c == '\n') {
            ++line;
            column = 0;
            indenting = true;
        } else if (indenting && c == '\t') {
            throw InputError({file, line, column}, "a tab in the indentation (accepted: spaces)");
        } else if (c != ' ') {
            indenting = false;
        }
    }
}

void refuse_token_floods(std::string_view text, std::size_t most, const SourceLocation& place) {
    constexpr std::string_view structure = "[]{},:&*?!-\"'";
    const auto is_structure = [&](char c) { return structure.find(c) != std::string_view::npos; };
    if (static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_structure)) > most) {
        throw InputError(place, "too many values (accepted: at most " + std::to_string(most) + " of the characters " +
                                    std::string(structure) + ")");
    }
}

void refuse_open_quote(std::string_view text, std::size_t start, const SourceLocation& place) {
    std::size_t at = text.find_first_of("'\"", start);
    if (at == std::string_view::npos) { return; }
    const char quote = text[at++];
    for (; at < text.size(); ++at) {
        if (quote == '"' && text[at] == '\\') {
            ++at;
        } else if (text[at] == quote) {
            if (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote) { return; }
            ++at;  // '' is an escaped quote
        }
    }
    throw InputError(place, "a text between quotes is not closed (accepted: a closing quote)");
}

}  // namespace fabricast::inline base::yaml
