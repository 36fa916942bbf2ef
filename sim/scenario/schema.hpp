#pragma once
// What the table of keys tells: which keys there are, and the scenario as it could be written again.

#include <string_view>
#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

// Whether the scenario's kind of workload has this key.
bool belongs(const Key& key, const Scenario& scenario);

const Key* find_key(std::string_view path);
// The rows directly inside `path` ("" for the top level).
std::vector<const Key*> keys_inside(std::string_view path);
// The last component: "kind" of "cluster.fabric.kind".
std::string_view leaf_name(const Key& key);

// The scenario as it could be written again: only keys that hold something, units in their texts.
Json to_json(const Scenario& scenario);

}  // namespace fabricast
