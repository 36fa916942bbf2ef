#pragma once
// What a sweep varies: `sweep:`, `--vary path=v1,v2,...`, and conversions between YAML values and their texts.

#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/yaml.hpp"
#include "sim/scenario/key.hpp"
#include "sim/scenario/sweep_spec.hpp"

namespace fabricast::inline scenario {

std::vector<Key> sweep_keys();

// Values are separated by commas outside brackets and quotes. Throws InputError at `--vary:1:column`.
Variation parse_variation(std::string_view argument);

// The value on one line, in a form that reads back as the same value.
std::string flow_text(const yaml::Node& node);

// The value as it would appear in a scenario in JSON.
Json value_json(const SweepValue& value);

// A node whose scalars all stay texts.
Json texts_json(const yaml::Node& node);

// The value as a YAML node. Throws InputError at the value's place if it is not valid YAML.
yaml::Node value_at(const SweepValue& value);

}  // namespace fabricast::inline scenario
