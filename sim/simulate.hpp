#pragma once
// The main job as one function: a scenario and a catalogue in, a report out. Everything it calls is pure.

#include <functional>

#include "models/catalog.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// `on_row` sees each finished row at once (progress, Ctrl-C keeps whole rows). Throws ScenarioError, Stopped,
// CannotEnd.
Report simulate(const Scenario& scenario, const Catalog& catalog, const Watch& watch = {},
                const std::function<void(const Row&)>& on_row = {});

}  // namespace fabricast
