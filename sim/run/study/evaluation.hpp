#pragma once
// One design by itself: its forecast, what bounds it, what it is made of; and its time again with other constants.

#include <string>
#include <vector>

#include "sim/engines/common/watch.hpp"
#include "sim/run/explain/blame.hpp"
#include "sim/run/study/design.hpp"
#include "sim/run/study/draws.hpp"
#include "sim/run/study/parts_list.hpp"

namespace fabricast {

struct Evaluation {
    DesignResult result;        // central values; of its ranges only the time's is set
    std::vector<Blame> blames;  // of its critical path
    // Forecasts of one system are wrong together: designs with equal words here share that draw.
    std::string system;
    Range form;                // measured / forecast time, of such forecasts
    std::string regime;        // "large": how far two tables of one site differed, by size
    double busbw_seconds = 0;  // bus bandwidth times time
    double tokens = 0;         // of a step
};

Evaluation evaluate(const StudyInput& input, const Watch& watch);

}  // namespace fabricast
