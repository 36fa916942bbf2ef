#pragma once
// Parses numbers. The whole word must be a number; the result does not depend on the locale, and nothing is thrown.

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fabricast::inline base {

// `base` is for whole numbers only.
template <class Number, class... Base> std::optional<Number> number_in(std::string_view word, Base... base) {
    Number value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base...);
    return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// A finite number.
inline std::optional<double> figure_in_word(std::string_view word) {
    const std::optional<double> value = number_in<double>(word);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

inline std::optional<std::int64_t> count_in_word(std::string_view word) { return number_in<std::int64_t>(word); }

}  // namespace fabricast::inline base
