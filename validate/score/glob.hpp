#pragma once
// Patterns of a shell.

#include <string_view>

namespace fabricast::inline score {

// "*" matches any text, "?" one character.
inline bool glob_matches(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) { return text.empty(); }
    if (pattern.front() == '*') {
        return glob_matches(pattern.substr(1), text) || (!text.empty() && glob_matches(pattern, text.substr(1)));
    }
    return !text.empty() && (pattern.front() == '?' || pattern.front() == text.front()) &&
           glob_matches(pattern.substr(1), text.substr(1));
}

}  // namespace fabricast::inline score
