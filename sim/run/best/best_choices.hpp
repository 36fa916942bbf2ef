#pragma once
// What NCCL could choose for a collective, beside what it does choose: the time of every algorithm, protocol and number
// of channels, each planned and replayed as if it had been set by NCCL_ALGO, NCCL_PROTO and, for fewer channels,
// NCCL_MAX_NCHANNELS with NCCL_NVLS_ENABLE=0.

#include <cstddef>
#include <vector>

#include "base/units.hpp"
#include "models/catalog.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"
#include "sim/run/study/draws.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline best {

// One setting of NCCL's variables.
struct Setting {
    const nccl::AlgorithmModel* algorithm = nullptr;
    nccl::Proto protocol = nccl::Proto::simple;
    int channels = 0;  // at most; 0: as many as the search finds

    bool operator==(const Setting&) const = default;
};

struct Choice {
    Setting setting;  // with the channels that it has
    double time_s = 0;
};

struct BestRow {
    Bytes size;
    std::vector<Choice> choices;  // the fastest first
    std::size_t chosen = 0;       // index of NCCL's own choice
    // Its time over that of the fastest, less 1, with its 80 % interval over draws of the catalogue's constants, so
    // that what both have in common cancels out, and, for another algorithm or protocol, of the error by which two
    // forecasts of one site differ from each other (`paired` of study-intervals).
    Range gain;

    const Choice& fastest() const { return choices.front(); }
    const Choice& default_choice() const { return choices[chosen]; }
    bool gains() const { return gain.low80 > 0; }  // more than what is not known of the two
};

struct BestOptions {
    std::size_t threads = 1;
    std::uint32_t draws = 40;
    std::uint64_t seed = 1;
};

// A row for each size of the scenario's collective. Throws InputError if the scenario is not a collective that NCCL
// chooses an algorithm for, or forces one itself; else what simulate throws.
std::vector<BestRow> best_choices(const Scenario& scenario, const Catalog& catalog, const BestOptions& options,
                                  const Watch& watch = {});

}  // namespace fabricast::inline best
