#pragma once
// One scenario run with everything kept, and its time blamed: a collective at its largest size, a training step, a
// replayed trace, or one message of a transfer.

#include <cstdint>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/run/explain/blame.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

struct ExplainedRun {
    std::string what;  // "all_reduce of 1 GiB: nvls-tree simple, 16 channels", "a training step of gpt3-175b"
    std::uint32_t nodes = 0, gpus = 0;
    double seconds = 0;         // as `run` gives it
    std::vector<Blame> blames;  // largest first; their seconds add up to it
    std::vector<std::string> notes;
};

// The scenario as it is explained: one size, one cluster, nothing asserted.
Scenario single_point(const Scenario& scenario);

// Throws InputError where a trace is too long to be walked, and what simulate throws. Engines whose operations are
// packets or another program's are explained by the flow engine, and a note says so.
ExplainedRun explain_run(const Scenario& scenario, const Catalog& catalog, const Watch& watch = {});

}  // namespace fabricast
