#pragma once
// `--set path=value`: one key of the tree replaced or added before it is read; `path=null`: taken out of it.

#include <string_view>

#include "base/yaml.hpp"

namespace fabricast {

// Throws InputError at `--set:1:column`, the column counted in `assignment`.
void apply_override(yaml::Node& root, std::string_view assignment);

}  // namespace fabricast
