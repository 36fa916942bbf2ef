#pragma once
// `--vary path=v1,v2,...`, and the texts of YAML values.

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "base/yaml.hpp"
#include "sim/scenario/sweep_spec.hpp"

namespace fabricast {

// Values are parted by the commas outside brackets and quotes. Throws InputError at `--vary:1:column`.
Variation parse_variation(std::string_view argument);

// The value on one line, so that it reads again as the same value.
std::string flow_text(const yaml::Node& node);

// The value as a scenario in JSON holds it.
Json value_json(const SweepValue& value);

// The value as a node of its own. Throws InputError there where it is no YAML.
yaml::Node value_at(const SweepValue& value);

}  // namespace fabricast
