#pragma once
// Every key of a scenario, once: the parser, the check for unknown keys, the resolved scenario in results,
// docs/scenario.md and the JSON Schema all use this one table. To add a key, add a row, and a field to Scenario.

#include <string_view>
#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

// In the order of the documentation; a map comes before its keys.
const std::vector<Key>& scenario_keys();

// Whether the scenario's kind of workload has this key.
bool belongs(const Key& key, const Scenario& scenario);

const Key* find_key(std::string_view path);  // by its present or its old name; null: no such key
// The rows directly inside `path` ("" for the top level).
std::vector<const Key*> keys_inside(std::string_view path);

// The scenario as it could be written again: only keys that are given, quantities as texts with units.
Json to_json(const Scenario& scenario);

}  // namespace fabricast::inline scenario
