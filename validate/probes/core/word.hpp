#pragma once
// The words of enums. Beside each enum stands `words_of`: one word for each of its values, in their order.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace probe {

template <typename Enum> const char* word(Enum value) { return words_of(value)[static_cast<std::size_t>(value)]; }

template <typename Enum> std::optional<Enum> value_of(std::string_view word) {
    const auto words = words_of(Enum());
    const auto found = std::find(words.begin(), words.end(), word);
    return found == words.end() ? std::nullopt : std::optional(static_cast<Enum>(found - words.begin()));
}

}  // namespace probe
