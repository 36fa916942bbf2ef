#pragma once
// Queries on the table of keys, and the scenario written back as JSON.

#include <string_view>
#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

// Whether the scenario's kind of workload has this key.
bool belongs(const Key& key, const Scenario& scenario);

const Key* find_key(std::string_view path);  // by its present or its old name; null: no such key
// The rows directly inside `path` ("" for the top level).
std::vector<const Key*> keys_inside(std::string_view path);
// The last component: "kind" of "cluster.fabric.kind".
std::string_view leaf_name(const Key& key);

// The scenario as it could be written again: only keys that are given, quantities as texts with units.
Json to_json(const Scenario& scenario);

}  // namespace fabricast::inline scenario
