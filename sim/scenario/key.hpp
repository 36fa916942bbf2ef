#pragma once
// A key of a scenario: its path, the form of its value, and how the value is read and written.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/yaml.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline scenario {

// The form of a key's value.
enum class Form : std::uint8_t {
    map,       // a map whose keys are the rows below this path
    maps,      // a list of such maps
    flag,      // true, false
    whole,     // a whole number in [low, high]
    wholes,    // a list of whole numbers
    number,    // a plain number in [low, high]
    text,      // any text
    texts,     // a list of texts
    text_map,  // a map from names that the user chooses to texts
    word,      // one of `words`
    size,      // bytes with a unit
    time,
    rate,
    sizes,        // a list of sizes, or {from, to, factor}
    variations,   // paths of keys, each with a list of values
    assignments,  // a list of maps from paths to values
    ranges,       // paths of keys, each with a list or with {from, to, scale}
    text_or_map,  // a name, or a map that the key itself reads
    nodes,        // a whole number, or a list of {node, count}
};

// What a key says about itself.
struct KeyText {
    std::string path;  // "cluster.fabric.kind"
    Form form = Form::text;
    std::string meaning{};  // a sentence for the documentation
    bool required = false;
    std::string when_absent{};         // for the documentation, what a missing key means; empty: the field's default
    std::vector<std::string> words{};  // for Form::word
    std::string of_kind{};             // the kinds of workload that have this key; refused in others. Empty: all
    std::string like{};                // for a map: its keys are those below this path, and the key itself reads them
    bool may_be_null = false;          // for a text_map: a null value unsets a key
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

// A key of the struct `Of`, a part of the scenario; its path begins there.
template <class Of> struct KeyOf : KeyText {
    // Sets the field from a value of the right form; throws InputError at the value.
    std::function<void(const yaml::Node&, Of&)> read{};
    // The field as a scenario would state it; null if it is "not given". Absent for rows below a list of maps.
    std::function<Json(const Of&)> write{};
};

using Key = KeyOf<Scenario>;

}  // namespace fabricast::inline scenario
