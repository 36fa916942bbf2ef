#pragma once
// A key of a scenario: its path, how its value is written, how it is read and written again.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/yaml.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// How the value of a key is written.
enum class Form : std::uint8_t {
    map,       // keys of its own: the rows whose path continues this one
    maps,      // a list of such maps
    flag,      // true, false
    whole,     // a whole number in [low, high]
    wholes,    // a list of them
    number,    // a plain number in [low, high]
    text,      // any text
    texts,     // a list of texts
    text_map,  // names of the user's choosing, each with a text
    word,      // one of `words`
    size,      // bytes with unit
    time,
    rate,
    sizes,        // a list of sizes, or {from, to, factor}
    variations,   // paths of keys, each with a list of values
    assignments,  // a list of maps from paths to values
    ranges,       // paths of keys, each with a list or with {from, to, scale}
};

struct Key {
    std::string path;  // "cluster.fabric.kind"
    Form form = Form::text;
    std::string meaning{};  // a sentence for the documentation
    // Sets the field from a value that has the right form; throws InputError at the value.
    std::function<void(const yaml::Node&, Scenario&)> read{};
    // The field as it would be written, null when it holds "not given". Absent for rows below a list of maps.
    std::function<Json(const Scenario&)> write{};
    bool required = false;
    std::string when_absent{};         // what holds then; empty: the field's default
    std::vector<std::string> words{};  // of Form::word
    std::string of_kind{};             // a key of these kinds of workload: refused in the others
    bool may_be_null = false;          // of a text_map: null among its values takes a key back
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
};

}  // namespace fabricast
