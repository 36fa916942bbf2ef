#pragma once
// What a study compares: scenarios of one design each, or of several, each of which replaces some of its keys.

#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "models/catalog.hpp"
#include "sim/run/study/study.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline studies {

// Two designs have one name (exit code 2).
struct DesignsAlike : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// Reads a scenario with these overrides ("path=value"), beside those that it has anyway.
using ReadDesign = std::function<Scenario(const std::vector<std::string>& overrides)>;

// With each scenario's catalogue and prices. Throws InputError, DesignsAlike.
std::vector<StudyInput> study_inputs(const std::vector<ReadDesign>& scenarios,
                                     const std::function<Catalog(const Scenario&)>& catalog_of);

}  // namespace fabricast::inline studies
