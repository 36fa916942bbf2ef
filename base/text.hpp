#pragma once
// Small text functions that several modules share.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::inline base {

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

// `text` with blanks behind it, up to `width` bytes.
inline std::string padded(std::string_view text, std::size_t width) {
    std::string out(text);
    out.resize(std::max(text.size(), width), ' ');
    return out;
}

// `text` with blanks before it, up to `width` bytes.
inline std::string right_aligned(std::string_view text, std::size_t width) {
    return std::string(std::max(text.size(), width) - text.size(), ' ').append(text);
}

// Whether the pattern of a shell matches: "*" any text, "?" one character.
inline bool glob_matches(std::string_view pattern, std::string_view text) {
    if (pattern.empty()) { return text.empty(); }
    if (pattern.front() == '*') {
        return glob_matches(pattern.substr(1), text) || (!text.empty() && glob_matches(pattern, text.substr(1)));
    }
    return !text.empty() && (pattern.front() == '?' || pattern.front() == text.front()) &&
           glob_matches(pattern.substr(1), text.substr(1));
}

// What stands between separators, without empty pieces.
std::vector<std::string_view> split(std::string_view text, char separator);

// Whether `word` is one of the words of `list`, which blanks separate.
bool has_word(std::string_view list, std::string_view word);

// "1 node", "3 nodes".
std::string plural(std::uint64_t count, std::string_view noun);

// Escapes text for HTML, XML and SVG: the four characters that could end a text or an attribute (HTML 4.01, 5.3.2).
std::string markup_text(std::string_view text);

// `text` in double quotes, with those inside it doubled: as in CSV and SQL.
std::string doubly_quoted(std::string_view text);

// Quotes a CSV cell if needed (RFC 4180), so that a comma, a quote or a line break in a name does not start a new cell.
std::string csv_cell(std::string_view text);

// The names of things, each by the projection `name`.
template <class Things, class Name = std::identity>
std::vector<std::string> names_of(const Things& things, Name name = {}) {
    std::vector<std::string> names;
    for (const auto& thing : things) { names.emplace_back(std::invoke(name, thing)); }
    return names;
}

// The keys of a map. (Not std::views::keys: clang 14 cannot compile libstdc++'s pipes.)
template <class Map> std::vector<std::string> keys_of(const Map& map) {
    return names_of(map, [](const auto& entry) { return std::string_view(entry.first); });
}

// The one of `words` that begins with `found`, or is closest to it by edit distance; "" if none is close enough to be a
// typing error.
std::string nearest_word(std::string_view found, const std::vector<std::string>& words);

// "; did you mean 'gpu0'?" with the nearest word, or the few that begin so; `otherwise` if none is close enough.
std::string did_you_mean(std::string_view found, const std::vector<std::string>& words,
                         std::string_view otherwise = "");

// The number that a whole word is, in any locale; throws nothing. `base` is for whole numbers only.
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
