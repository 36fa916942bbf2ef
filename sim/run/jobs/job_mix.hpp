#pragma once
// Several jobs on one fabric: each call after call, alone, beside each other one, and all together.

#include <cstdint>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "models/evidence.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline jobs {

struct MixedJob {
    std::string name;
    std::string what;  // "all_reduce of 1 GiB: ring simple, 16 channels"
    std::uint32_t nodes = 0, gpus = 0;
    double alone_s = 0, together_s = 0;  // one call in the steady state
    double slowdown = 1;                 // together / alone
    std::vector<double> beside;          // the same beside each of the jobs alone; 1 beside itself
    // The job that slows it most, and the link that both of them fill most; empty: none does.
    std::string blamed, meeting;
    double own_share = 0, blamed_share = 0;  // of that link's capacity, that either takes alone
};

struct JobMix {
    std::vector<MixedJob> jobs;  // in the scenario's order
    std::vector<FigureUsed> figures;
    std::vector<std::string> notes, evidence_notes;
};

// Precondition: the scenario has jobs. Throws InputError where a job is wrong, and what planners and engines throw.
JobMix mix_jobs(const Scenario& scenario, const Catalog& catalog, std::size_t threads = 1, const Watch& watch = {});

}  // namespace fabricast::inline jobs
