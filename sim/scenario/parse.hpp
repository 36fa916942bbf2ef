#pragma once
// From the text of a scenario to a checked Scenario: includes merged, overrides applied, every key known and in range.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// Reads a scenario file. `overrides` are "dotted.path=value" as given to --set; the value is YAML and goes through the
// same checks, its place is `--set`. Throws InputError.
Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

// The same from a text; its includes and calibration files are relative to the folder of `file`, which need not exist.
Scenario parse_scenario(std::string_view text, const std::filesystem::path& file,
                        const std::vector<std::string>& overrides = {});

// --- in two halves, for those who read many scenarios that differ in a few keys

// The tree of a scenario's file or text: includes merged, overrides applied, nothing checked yet.
yaml::Node scenario_tree(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
yaml::Node scenario_tree(std::string_view text, const std::filesystem::path& file,
                         const std::vector<std::string>& overrides = {});

// The tree with the overrides applied.
yaml::Node with_overrides(yaml::Node root, const std::vector<std::string>& overrides);

// The checked scenario of such a tree.
Scenario scenario_of_tree(const yaml::Node& root, const std::filesystem::path& file);

// Only what stands under these top-level keys, the rest as by default.
Scenario part_of_tree(const yaml::Node& root, const std::filesystem::path& file, const std::vector<std::string>& keys);

}  // namespace fabricast
