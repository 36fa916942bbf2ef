#pragma once
// What a scenario states and its run does not read, as notes: a setting without effect is not passed over in silence.

#include <functional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace fabricast::inline run {

// Keys of engines, libraries and launches that this run does not have.
std::vector<std::string> idle_keys(const Scenario& scenario);

// The modelled variables of `library.env` without which `times_of` tells the same as `times`, those of the scenario as
// it is (empty: not known yet). Variables that a note names are left out, since it says more.
std::vector<std::string> idle_variables(const Scenario& scenario, const std::vector<std::string>& notes,
                                        std::vector<double> times,
                                        const std::function<std::vector<double>(const Scenario&)>& times_of);

}  // namespace fabricast::inline run
