#pragma once
// Reads a part's figure from YAML: a number with its unit, a list, or the long form with interval, origin and source.

#include <optional>
#include <string>
#include <vector>

#include "base/yaml.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline models {

// Defaults for a figure that does not state its own origin or source.
struct Provenance {
    std::optional<Origin> origin;
    std::vector<std::string> source;
};

// The keys of a figure's long form, and the keys of a part in an overlay. Used by the reader and by the JSON Schemas.
inline const std::vector<std::string> figure_keys = {"value", "low80", "high80", "origin", "source"};
inline const std::vector<std::string> overlay_keys = {"note", "origin", "source", "figures"};

// Sets `origin` and `source` from the keys of `map` that are present.
void read_provenance(const yaml::Node& map, Provenance& provenance);

// Throws InputError for an unknown unit, mixed dimensions, an interval without the value, or no origin or source.
Figure read_figure(const yaml::Node& node, const Provenance& defaults);

}  // namespace fabricast::inline models
