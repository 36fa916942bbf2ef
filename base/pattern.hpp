#pragma once
// The one door to RE2: expressions searched in what users write, in time and memory that grow no faster than the text.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace fabricast {

class Pattern {
public:
    enum class Case : std::uint8_t { counts, ignored };

    // RE2's syntax: Perl's without look-around and back references. Throws std::invalid_argument where it is none.
    explicit Pattern(std::string_view expression, Case letters = Case::ignored);

    bool found_in(std::string_view text) const;
    // The first match and its groups, a group that takes no part in it as nothing; nullopt where nothing matches.
    using Groups = std::vector<std::optional<std::string_view>>;
    std::optional<Groups> first_in(std::string_view text) const;
    // All matches, one behind the other.
    std::vector<Groups> all_in(std::string_view text) const;

private:
    std::shared_ptr<const re2::RE2> expression_;  // immutable, and safe to share between threads
};

}  // namespace fabricast
