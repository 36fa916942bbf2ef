#pragma once
// From the text of a scenario to a checked Scenario: includes merged, overrides applied, every key known and in range.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace fabricast {

// Reads a scenario file. `overrides` are "dotted.path=value" as given to --set; the value is YAML and goes through the
// same checks, its place is `--set`. Throws ScenarioError.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

// The same from a text; its includes and calibration files are relative to the folder of `file`, which need not exist.
Scenario parse_scenario(std::string_view text, const std::filesystem::path& file,
                        const std::vector<std::string>& overrides = {});

}  // namespace fabricast
