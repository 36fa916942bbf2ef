#pragma once
// From a scenario to the points of its sweep.

#include "sim/run/sweep/sweep.hpp"

namespace fabricast {

// Reads every point. `tree` is the scenario's with its overrides (`scenario_tree`). Throws InputError where nothing
// varies, a path is no key, a value cannot stand for its key, or no point at all can be read.
Sweep prepare_sweep(yaml::Node tree, const std::filesystem::path& file, const std::vector<Variation>& vary,
                    const CatalogOf& catalog_of);

// The points that have to run: the first of each key, in order.
std::vector<std::size_t> distinct_points(const Sweep& sweep);

// Tells sweeps apart: of everything that their results depend on.
std::string identity_of(const Sweep& sweep);

// The scenario of a point. Throws InputError.
Scenario scenario_at(const Sweep& sweep, std::size_t point);

}  // namespace fabricast
