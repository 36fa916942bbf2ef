#pragma once
// A value of a parsed tree, with its location in the text.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fabricast::inline base::yaml {

enum class Kind : std::uint8_t { null, scalar, list, map };

// One value of the tree. Map members and list items own their children in the order written.
struct Node {
    Kind kind = Kind::null;
    bool quoted = false;  // a scalar in quotes
    std::string text;     // the text of a scalar
    std::string name;     // the key of this value; for a list item, the list's name and the index: "sizes[2]"
    SourceLocation place;
    std::vector<Node> children;  // items of a list, or values of a map (each `name` is its key)
    SourceLocation key_place;    // for a map member: the location of its key

    bool is_null() const { return kind == Kind::null; }
    bool is_scalar() const { return kind == Kind::scalar; }
    bool is_list() const { return kind == Kind::list; }
    bool is_map() const { return kind == Kind::map; }

    // The member under `key`, or nullptr. Throws InputError if this is not a map.
    const Node* get(std::string_view key) const;
    // Like get(), but throws InputError if the key is missing, naming it and the nearest key present.
    const Node& required(std::string_view key) const;
    // The items of the member under `key`, or none if there is none.
    const std::vector<Node>& items_of(std::string_view key) const;
    // Throws InputError at the first key that is not in `keys`, naming the nearest.
    void allow(const std::vector<std::string>& keys) const;

    // Each throws InputError at this value if it has another type or is out of range.
    const std::vector<Node>& items() const;    // for a list
    const std::vector<Node>& members() const;  // for a map
    const std::string& as_string() const;      // any scalar
    // The text of the member under `key`, or `fallback` if there is none.
    std::string text_or(std::string_view key, std::string_view fallback = {}) const;
    std::int64_t as_int(std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                        std::int64_t high = std::numeric_limits<std::int64_t>::max()) const;
    double as_double() const;  // a finite number without a unit
    bool as_bool() const;      // true or false
    // The index of this word in `words`; throws InputError naming the words and the nearest.
    std::size_t as_enum(const std::vector<std::string>& words) const;

    // Each throws InputError at this value; the second adds what was found here.
    [[noreturn]] void fail(const std::string& message) const;
    [[noreturn]] void fail(std::string_view what, std::string_view accepted, std::string_view nearest = {}) const;
    // This value as shown in a message: "'400 Gb'", "a list", "nothing".
    std::string found() const;
};

}  // namespace fabricast::inline base::yaml
