#pragma once
// The one door to YAML. A text becomes a plain tree of values that know where they were written; what yaml-cpp would
// let pass (duplicate keys, cycles through aliases, alias bombs, several documents) is refused before anything else
// looks.

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sim/io/place.hpp"

namespace fabricast::yaml {

// Limits of one text, checked before or while the tree is built.
inline constexpr std::size_t max_file_bytes = std::size_t{16} << 20U;
inline constexpr std::size_t max_nodes = 100'000;  // after aliases are expanded
inline constexpr int max_depth = 64;

enum class Kind : std::uint8_t { null, scalar, list, map };

// One value of the tree. Map members and list items own their children in the order written.
struct Node {
    Kind kind = Kind::null;
    bool quoted = false;  // a scalar between quotes
    std::string text;     // of a scalar
    std::string name;     // the key this value stands under; of a list item, the list's with its index: "sizes[2]"
    Place place;
    std::vector<Node> children;  // items of a list, or values of a map (each `name` is its key)
    Place key_place;             // of a map member: where its key stands

    bool is_null() const { return kind == Kind::null; }
    bool is_scalar() const { return kind == Kind::scalar; }
    bool is_list() const { return kind == Kind::list; }
    bool is_map() const { return kind == Kind::map; }

    // The member under `key`, or nullptr. Throws ScenarioError where this is no map.
    const Node* get(std::string_view key) const;
    // As get, but throws naming the missing key and the nearest one written.
    const Node& required(std::string_view key) const;
    // Throws at the first key that is not among `keys`, naming the nearest.
    void allow(const std::vector<std::string>& keys) const;

    // Each throws ScenarioError here when the value is of another shape or out of range.
    const std::vector<Node>& items() const;    // of a list
    const std::vector<Node>& members() const;  // of a map
    const std::string& as_string() const;      // any scalar
    std::int64_t as_int(std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                        std::int64_t high = std::numeric_limits<std::int64_t>::max()) const;
    double as_double() const;  // finite, without unit
    bool as_bool() const;      // true or false
    // The index in `words` of this word; throws naming the words and the nearest.
    std::size_t as_enum(const std::vector<std::string>& words) const;

    // Throws ScenarioError at this value; the second with what was found here.
    [[noreturn]] void fail(const std::string& message) const;
    [[noreturn]] void fail(std::string_view what, std::string_view accepted, std::string_view nearest = {}) const;
    // This value in a message: "'400 Gb'", "a list", "nothing".
    std::string found() const;
};

// Throws ScenarioError. `file` is only a name for places.
Node parse(std::string_view text, const std::string& file);

// Reads and parses a file; the size is checked before a byte is read. Throws ScenarioError, also (at 1:1) when the file
// cannot be read.
Node read(const std::filesystem::path& path);

}  // namespace fabricast::yaml
