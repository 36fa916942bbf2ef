#pragma once
// Suggests what the user may have meant to write.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::inline base {

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

// The one of `words` closest to `found` by edit distance, or "" if none is close enough to be a typing error.
std::string nearest_word(std::string_view found, const std::vector<std::string>& words);

// "; did you mean 'gpu0'?" with the nearest word, or `otherwise` if none is close enough.
std::string did_you_mean(std::string_view found, const std::vector<std::string>& words,
                         std::string_view otherwise = "");

}  // namespace fabricast::inline base
