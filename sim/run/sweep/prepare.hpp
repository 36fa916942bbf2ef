#pragma once
// Turns a scenario into the points of its sweep.

#include "sim/run/sweep/sweep.hpp"

namespace fabricast::inline sweep {

// Reads every point. `tree` is the scenario's tree with the overrides applied (scenario_tree()). Throws InputError if
// nothing varies, a path is not a key, a key does not accept one of its values, or not a single point can be read.
Sweep prepare_sweep(yaml::Node tree, const std::filesystem::path& file, const std::vector<Variation>& vary,
                    const CatalogOf& catalog_of);

// The points that have to run, in order: the first one of each SweepPoint::key.
std::vector<std::size_t> distinct_points(const Sweep& sweep);

// A fingerprint of everything that the sweep's results depend on.
std::string identity_of(const Sweep& sweep);

// The scenario of a point. Throws InputError.
Scenario scenario_at(const Sweep& sweep, std::size_t point);

}  // namespace fabricast::inline sweep
