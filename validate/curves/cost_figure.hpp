#pragma once
// Names of the catalogue's cost figures: "nccl-hopper-nvswitch/ll.start".

#include <string>
#include <string_view>

#include "models/catalog.hpp"

namespace fabricast::inline curves {

using FigureName = std::string;  // "part/figure"

inline std::string part_of(const FigureName& name) { return name.substr(0, name.find('/')); }
inline std::string figure_in(const FigureName& name) { return name.substr(name.find('/') + 1); }

// Throws std::out_of_range if there is no such figure. `Catalogue` may be const.
template <class Catalogue> auto& figure_of(Catalogue& catalog, const FigureName& name) {
    return catalog.parts.at(part_of(name)).figures.at(figure_in(name));
}

// Parts of these kinds have the costs that only measurements determine.
inline bool has_costs(const Part& part) {
    return part.kind == "kernel" || part.kind == "transport" || part.kind == "launch";
}

}  // namespace fabricast::inline curves
