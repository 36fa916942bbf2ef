#pragma once
// A value of a tree that knows where it was written.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_error.hpp"

namespace fabricast::yaml {

enum class Kind : std::uint8_t { null, scalar, list, map };

// One value of the tree. Map members and list items own their children in the order written.
struct Node {
    Kind kind = Kind::null;
    bool quoted = false;  // a scalar between quotes
    std::string text;     // of a scalar
    std::string name;     // the key this value stands under; of a list item, the list's with its index: "sizes[2]"
    SourceLocation place;
    std::vector<Node> children;  // items of a list, or values of a map (each `name` is its key)
    SourceLocation key_place;    // of a map member: where its key stands

    bool is_null() const { return kind == Kind::null; }
    bool is_scalar() const { return kind == Kind::scalar; }
    bool is_list() const { return kind == Kind::list; }
    bool is_map() const { return kind == Kind::map; }

    // The member under `key`, or nullptr. Throws InputError where this is no map.
    const Node* get(std::string_view key) const;
    // As get, but throws naming the missing key and the nearest one written.
    const Node& required(std::string_view key) const;
    // Throws at the first key that is not among `keys`, naming the nearest.
    void allow(const std::vector<std::string>& keys) const;

    // Each throws InputError here when the value is of another shape or out of range.
    const std::vector<Node>& items() const;    // of a list
    const std::vector<Node>& members() const;  // of a map
    const std::string& as_string() const;      // any scalar
    std::int64_t as_int(std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                        std::int64_t high = std::numeric_limits<std::int64_t>::max()) const;
    double as_double() const;  // finite, without unit
    bool as_bool() const;      // true or false
    // The index in `words` of this word; throws naming the words and the nearest.
    std::size_t as_enum(const std::vector<std::string>& words) const;

    // Throws InputError at this value; the second with what was found here.
    [[noreturn]] void fail(const std::string& message) const;
    [[noreturn]] void fail(std::string_view what, std::string_view accepted, std::string_view nearest = {}) const;
    // This value in a message: "'400 Gb'", "a list", "nothing".
    std::string found() const;
};

}  // namespace fabricast::yaml
