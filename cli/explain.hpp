#pragma once
// The other questions that `fabricast explain SCENARIO` answers.

#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::cli {

// --without A [B] and --failures: what a dead cable or device costs: the results with and without the failure.
void add_outage_options(po::options_description& options);
bool asks_for_outage(const po::variables_map& values);
ExitCode explain_outage(const po::variables_map& values, const Outputs& outputs, Scenario scenario);

// --path A B, --transport and --size: the path that data takes between two devices, hop by hop.
void add_path_options(po::options_description& options);
// Whether one of them is given.
bool names_path(const po::variables_map& values);
// Whether one of them is given, or the scenario is a transfer.
bool asks_for_path(const po::variables_map& values, const Scenario& scenario);
ExitCode explain_path(const po::variables_map& values, const Outputs& outputs, const Scenario& scenario);

}  // namespace fabricast::cli
