#pragma once
// What a scenario states and its run does not read, as notes: a setting without effect is not passed over in silence.

#include <functional>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline run {

// Keys of engines, libraries and launches that this run does not have.
std::vector<std::string> idle_keys(const Scenario& scenario);

// That buffers in place change no row: collectives by copy engines alone copy a rank's own part. Nothing if that is not
// known, as of the points of a scaling table.
std::vector<std::string> idle_in_place(const Scenario& scenario, const Report& report);

// Keys that only the bills of `study` and `topo` read, for commands that have none. Precondition: the cluster was
// built.
std::vector<std::string> idle_in_bill(const Scenario& scenario, const Catalog& catalog);

// The modelled variables of `library.env` without which `times_of` tells the same as `times`, those of the scenario as
// it is (empty: not known yet). Variables that a note names are left out, since it says more.
std::vector<std::string> idle_variables(const Scenario& scenario, const std::vector<std::string>& notes,
                                        std::vector<double> times,
                                        const std::function<std::vector<double>(const Scenario&)>& times_of);

}  // namespace fabricast::inline run
