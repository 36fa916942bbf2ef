#pragma once
// How often a diagnosis is right. The logs are not made by what judges them: every constant is moved within its
// interval, the flow engine replays where the judge uses closed forms, pipelines run message by message where that is
// not too long, a slow part is another one than the judge tries and of a degree between its degrees, and there is
// noise.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "validate/diagnose/diagnose.hpp"
#include "validate/score/named_figure.hpp"

namespace fabricast {

struct Trial {
    std::string system, fault;  // "" : healthy
    Finding verdict = Finding::nothing_wrong;
    std::vector<std::string> first;  // the cause ranked first, and those that make the same curve
    std::vector<std::string> named;  // those too that fit about as well
    // A wrong cause said alone is the worst answer; "none fits" is no answer.
    bool claims() const { return verdict == Finding::likely_cause || verdict == Finding::several_fit; }
    bool right() const {
        return fault.empty() ? verdict == Finding::nothing_wrong
                             : claims() && std::ranges::find(first, fault) != first.end();
    }
    bool names_it() const { return claims() && std::ranges::find(named, fault) != named.end(); }
};

// Each fault that a system can have and that would show in its log (some regime's median moves by 15 % or more), and as
// many healthy logs. `rounds` calibrations. Deterministic.
std::vector<Trial> diagnose_trials(const Catalog& catalog, int rounds);

// diagnose_top1_pct: the fault is ranked first. diagnose_named_pct: it is among the causes named. diagnose_wrong_pct:
// only others are named. diagnose_false_alarm_pct: of the healthy logs.
std::vector<NamedFigure> diagnose_figures(const std::vector<Trial>& trials);

}  // namespace fabricast
