#pragma once
// fabricast explain SCENARIO --without A [B]: what a dead cable or device costs: the results with and without the
// failure.

#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::cli {

void add_outage_options(po::options_description& options);
bool asks_for_outage(const po::variables_map& values);
ExitCode explain_outage(const po::variables_map& values, const Outputs& outputs, Scenario scenario);

}  // namespace fabricast::cli
