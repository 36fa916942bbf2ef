#pragma once
// How often a diagnosis is right: faults and healthy systems simulated with another calibration, every constant moved
// within its interval, and with noise.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "validate/accuracy.hpp"
#include "validate/diagnose/diagnose.hpp"

namespace fabricast {

struct Trial {
    std::string system, fault;  // "" : healthy
    Finding verdict = Finding::nothing_wrong;
    std::vector<std::string> first;  // the cause ranked first, and those that make the same curve
    bool right() const {
        return fault.empty() ? verdict == Finding::nothing_wrong
                             : verdict == Finding::likely_cause && std::ranges::find(first, fault) != first.end();
    }
};

// Each fault that a system can have and that would show in its log (some regime's median moves by 15 % or more), and as
// many healthy logs. `rounds` calibrations. Deterministic.
std::vector<Trial> diagnose_trials(const Catalog& catalog, int rounds);

// diagnose_top1_pct, diagnose_false_alarm_pct.
std::vector<AccuracyFigure> diagnose_figures(const std::vector<Trial>& trials);

}  // namespace fabricast
