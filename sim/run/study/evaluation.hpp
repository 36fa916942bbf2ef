#pragma once
// One design by itself: its forecast, what bounds it, and its parts list.

#include <string>
#include <vector>

#include "sim/engines/common/watch.hpp"
#include "sim/run/explain/blame.hpp"
#include "sim/run/study/design.hpp"
#include "sim/run/study/draws.hpp"
#include "sim/run/study/parts_list.hpp"

namespace fabricast {

struct Evaluation {
    DesignResult result;        // central values; time_s, busbw and tokens_per_s also have their 80 % intervals
    std::vector<Blame> blames;  // blame of its critical path
    // Forecast errors on one system are correlated: designs with equal text here share the draw of the error.
    std::string system;
    Range form;                // measured time / forecast time of similar forecasts
    std::string regime;        // "large": selects how far two published tables of one site differed
    double busbw_seconds = 0;  // bus bandwidth times time, bytes
    double tokens = 0;         // tokens per training step
};

Evaluation evaluate(const StudyInput& input, const Watch& watch);

}  // namespace fabricast
