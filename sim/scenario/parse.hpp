#pragma once
// From the text of a scenario to a checked Scenario: includes merged, overrides applied, every key known and in range.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/scenario/scenario_tree.hpp"

namespace fabricast::inline scenario {

// Reads a scenario file. `overrides` are "dotted.path=value" as given to --set; the value is YAML, passes the same
// checks, and its errors are located at `--set`. Throws InputError.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

// The same from a text; its includes and calibration files are relative to the folder of `file`, which need not exist.
Scenario parse_scenario(std::string_view text, const std::filesystem::path& file,
                        const std::vector<std::string>& overrides = {});

// --- in two steps, for callers that read many scenarios which differ in a few keys

// The checked scenario of such a tree.
Scenario scenario_of_tree(const yaml::Node& root, const std::filesystem::path& file);

// The scenario of one of its jobs alone on the cluster. Throws InputError where the job's workload is wrong.
Scenario scenario_of_job(const Scenario& whole, const JobSpec& job);

// A scenario with only these top-level keys read from the tree; everything else has its default.
Scenario part_of_tree(const yaml::Node& root, const std::filesystem::path& file, const std::vector<std::string>& keys);

}  // namespace fabricast::inline scenario
