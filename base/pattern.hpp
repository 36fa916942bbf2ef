#pragma once
// Regular expressions, safe on untrusted text: time and memory grow no faster than it. Only this module uses RE2.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace fabricast::inline base {

class Pattern {
public:
    enum class Case : std::uint8_t { counts, ignored };

    // RE2's syntax: Perl's without look-around and back references. Throws std::invalid_argument.
    explicit Pattern(std::string_view expression, Case letters = Case::ignored);

    bool found_in(std::string_view text) const;
    // The first match and its groups; a group that takes no part is nullopt. nullopt if nothing matches.
    using Groups = std::vector<std::optional<std::string_view>>;
    std::optional<Groups> first_in(std::string_view text) const;
    // All matches, one after the other, without overlap.
    std::vector<Groups> all_in(std::string_view text) const;

private:
    std::shared_ptr<const re2::RE2> expression_;  // immutable, and safe to share between threads
};

}  // namespace fabricast::inline base
