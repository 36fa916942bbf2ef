#pragma once
// One figure of a part, from YAML: a number with its unit, a list of them, or the long form with interval, origin and
// source.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.hpp"
#include "models/catalog.hpp"

namespace fabricast {

// What a figure falls back on where it says nothing itself.
struct Provenance {
    std::optional<Origin> origin;
    std::vector<std::string> source;
};

// The keys of a figure's long form, those of a part in an overlay, and the words of an origin: what the reader accepts
// and what the JSON Schemas say.
inline const std::vector<std::string> figure_keys = {"value", "low80", "high80", "origin", "source"};
inline const std::vector<std::string> overlay_keys = {"note", "origin", "source", "figures"};
inline const std::vector<std::string> origin_names = {"spec", "vendor", "measured", "fitted", "estimated"};

// Takes `origin` and `source` of a map where it has them.
void read_provenance(const yaml::Node& map, Provenance& provenance);

// Throws InputError: no unit of the list, mixed dimensions, an interval beside its value, no origin or source.
Figure read_figure(const yaml::Node& node, const Provenance& defaults);

// "no unit", or the unit between quotes.
std::string shown_unit(const std::string& unit);

// "spec", "vendor", "measured", "fitted", "estimated".
std::string_view to_string(Origin origin);

}  // namespace fabricast
