#pragma once
// How often a diagnosis is right, tried on synthetic logs. The logs are not made by the model that judges them: every
// constant is moved within its interval; the flow engine replays instead of the closed forms; pipelines run message by
// message if that is not too long; a slow part is a different one, with a degree between those that the judge tries;
// and there is noise.

#include <algorithm>
#include <string>
#include <vector>

#include "validate/diagnose/diagnose.hpp"
#include "validate/score/page.hpp"

namespace fabricast::inline diagnosis {

struct Trial {
    std::string system, fault;  // fault "": healthy
    Finding verdict = Finding::nothing_wrong;
    std::vector<std::string> first;  // the cause ranked first, and those with the same curve
    std::vector<std::string> named;  // also the causes that fit about as well
    // Whether the diagnosis names a cause. "none fits" names none; a wrong cause alone is the worst answer.
    bool claims() const { return verdict == Finding::likely_cause || verdict == Finding::several_fit; }
    bool right() const {
        return fault.empty() ? verdict == Finding::nothing_wrong || verdict == Finding::faster
                             : claims() && std::ranges::find(first, fault) != first.end();
    }
    bool names_it() const { return claims() && std::ranges::find(named, fault) != named.end(); }
};

// Tries each fault that a system can have and that would show in its log (the median time of some regime rises by 15 %
// or more), and four healthy logs per system. `rounds`: number of random draws of the constants. Deterministic.
std::vector<Trial> diagnose_trials(const Catalog& catalog, int rounds);

// diagnose_top1_pct: the fault is ranked first. diagnose_named_pct: it is among the named causes. diagnose_wrong_pct:
// only other causes are named. diagnose_false_alarm_pct: a healthy log is not judged healthy, nor faster than that.
std::vector<NamedFigure> diagnose_figures(const std::vector<Trial>& trials);

}  // namespace fabricast::inline diagnosis
