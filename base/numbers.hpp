#pragma once
// Figures in words that people and programs wrote: the whole word or nothing, whatever the locale, and no exception.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricast {

template <class Number>
std::optional<Number> number_in(std::string_view word) {
    Number value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// Finite.
inline std::optional<double> figure_in_word(std::string_view word) {
    const std::optional<double> value = number_in<double>(word);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

inline std::optional<std::int64_t> count_in_word(std::string_view word) { return number_in<std::int64_t>(word); }

}  // namespace fabricast
