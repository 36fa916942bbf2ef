#pragma once
// The name of an enumerator, from a table of names in the enumeration's order.

#include <array>
#include <cstddef>
#include <string_view>

namespace fabricast::inline base {

template <std::size_t N, class Enum>
std::string_view enum_name(const std::array<std::string_view, N>& words, Enum value) {
    return words.at(static_cast<std::size_t>(value));
}

}  // namespace fabricast::inline base
