#pragma once
// fabricast explain SCENARIO --path A B: the path that data takes between two devices, hop by hop.

#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::cli {

void add_path_options(po::options_description& options);
// Whether --path, --transport or --size is given.
bool names_path(const po::variables_map& values);
// Whether one of them is given, or the scenario is a transfer.
bool asks_for_path(const po::variables_map& values, const Scenario& scenario);
ExitCode explain_path(const po::variables_map& values, const Outputs& outputs, const Scenario& scenario);

}  // namespace fabricast::cli
