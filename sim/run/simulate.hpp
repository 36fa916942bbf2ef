#pragma once
// The whole simulation as one function: a scenario and a catalogue in, a report out. Everything it calls is pure.

#include <cstddef>
#include <functional>

#include "models/catalog.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline run {

struct SimulateOptions {
    std::size_t threads = 1;  // sizes run in parallel; the report does not depend on it
    bool trace = false;       // keep the times of every operation
};

// How many rows and points of a scaling table it gives.
std::size_t pieces_of(const Scenario& scenario);

// Calls `on_row` with each row as soon as it is finished, in the order of the sizes, so that an interrupted run has
// shown whole rows. Throws InputError, Stopped, CannotEnd, MissingEngine.
Report simulate(const Scenario& scenario, const Catalog& catalog, const Watch& watch = {},
                const std::function<void(const Row&)>& on_row = {}, const SimulateOptions& options = {});

// The time that a report states, in seconds: of its last step or its last row, else the makespan of the replayed trace.
double seconds_of(const Report& report);

// The scenario reduced to one run: its largest size, no scaling table, no asserts.
Scenario single_point(const Scenario& scenario);

}  // namespace fabricast::inline run
