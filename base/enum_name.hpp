#pragma once
// The names of enumerators, from a table of names in the enumeration's order.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::inline base {

template <std::size_t N, class Enum>
std::string_view enum_name(const std::array<std::string_view, N>& words, Enum value) {
    return words.at(static_cast<std::size_t>(value));
}

// What to_string gives for the enumerators from the first to `last`.
template <class Enum> std::vector<std::string> names_up_to(Enum last) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
        names.emplace_back(to_string(static_cast<Enum>(i)));
    }
    return names;
}

}  // namespace fabricast::inline base
